// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.rdma.verbs.Layouts;
import io.declock.testkit.ChildProcess;
import io.declock.testkit.Needs;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.StructLayout;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The layouts of {@link Layouts} are those that a C compiler makes of rdma-core's headers: a program is written that prints the
 * offset and size of every field by its C name.
 */
class LayoutsIT {
    private static final String TEST = "comparing struct layouts with rdma-core's headers";

    /** Where a field is in C when it is not a direct member of its struct. */
    private static final Map<String, String> C_PATHS = Map.ofEntries(
            Map.entry("ibv_send_wr.remote_addr", "wr.atomic.remote_addr"),
            Map.entry("ibv_send_wr.compare_add", "wr.atomic.compare_add"),
            Map.entry("ibv_send_wr.swap", "wr.atomic.swap"),
            Map.entry("ibv_send_wr.rkey", "wr.atomic.rkey"),
            Map.entry("ibv_qp_init_attr.max_send_wr", "cap.max_send_wr"),
            Map.entry("ibv_qp_init_attr.max_recv_wr", "cap.max_recv_wr"),
            Map.entry("ibv_qp_init_attr.max_send_sge", "cap.max_send_sge"),
            Map.entry("ibv_qp_init_attr.max_recv_sge", "cap.max_recv_sge"),
            Map.entry("ibv_qp_init_attr.max_inline_data", "cap.max_inline_data"),
            Map.entry("ibv_context.poll_cq", "ops.poll_cq"),
            Map.entry("ibv_context.req_notify_cq", "ops.req_notify_cq"),
            Map.entry("ibv_context.post_send", "ops.post_send"),
            Map.entry("ibv_context.post_recv", "ops.post_recv"),
            Map.entry("rdma_cm_id.src_addr", "route.addr.src_storage"),
            Map.entry("rdma_cm_id.dst_addr", "route.addr.dst_storage"));

    private static final Set<String> DIRECT_IN_EVENT = Set.of("id", "listen_id", "event", "status");

    /** Structs that only the libraries allocate; of these the layout has the beginning. */
    private static final Set<String> BEGINNINGS = Set.of("ibv_cq", "ibv_qp", "ibv_context", "rdma_cm_id");

    /** Structs that the library fills and that later versions of it may lengthen; of these the layout has room to spare. */
    private static final Set<String> WITH_ROOM = Set.of("ibv_port_attr", "ibv_device_attr");

    @TempDir
    Path temporary;

    @Test
    void everyFieldIsWhereTheCompilerPutsIt() throws Exception {
        Needs.program("gcc", TEST, "gcc libc6-dev");
        Map<String, StructLayout> structs = structs();
        assertThat(structs).hasSizeGreaterThan(15);

        Map<String, String> compiled = new HashMap<>();
        runC(programFor(structs)).lines().forEach(line -> {
            int space = line.indexOf(' ');
            compiled.put(line.substring(0, space), line.substring(space + 1));
        });

        structs.forEach((name, struct) -> {
            checkSize(name, struct.byteSize(), Long.parseLong(compiled.get(name)));
            for (MemoryLayout field : fields(struct)) {
                String fieldName = field.name().orElseThrow();
                assertThat(Layouts.offset(struct, fieldName) + " " + field.byteSize())
                        .as("offset and size of %s.%s", name, fieldName)
                        .isEqualTo(compiled.get(name + "." + fieldName));
            }
        });
        assertThat(compiled.get("wr.rdma")).as("wr.rdma lies over wr.atomic").isEqualTo("1 1");
    }

    private static void checkSize(String name, long size, long compiled) {
        if (BEGINNINGS.contains(name)) {
            assertThat(size).as("size of %s", name).isLessThanOrEqualTo(compiled);
        } else if (WITH_ROOM.contains(name)) {
            assertThat(size).as("size of %s", name).isGreaterThanOrEqualTo(compiled);
        } else {
            assertThat(size).as("size of %s", name).isEqualTo(compiled);
        }
    }

    private static Map<String, StructLayout> structs() throws IllegalAccessException {
        Map<String, StructLayout> structs = new LinkedHashMap<>();
        for (Field field : Layouts.class.getFields()) {
            if (StructLayout.class.isAssignableFrom(field.getType())) {
                structs.put(field.getName().toLowerCase(Locale.ROOT), (StructLayout) field.get(null));
            }
        }
        return structs;
    }

    private static List<MemoryLayout> fields(StructLayout struct) {
        return struct.memberLayouts().stream()
                .filter(member -> !(member instanceof PaddingLayout))
                .toList();
    }

    private static String programFor(Map<String, StructLayout> structs) {
        StringBuilder source = new StringBuilder("""
                #include <stddef.h>
                #include <stdio.h>
                #include <poll.h>
                #include <netinet/in.h>
                #include <infiniband/verbs.h>
                #include <rdma/rdma_cma.h>
                #define STRUCT(s) printf(#s " %zu\\n", sizeof(struct s))
                #define FIELD(s, f, path) \\
                    printf(#s "." #f " %zu %zu\\n", offsetof(struct s, path), sizeof(((struct s *) 0)->path))
                #define SAME(a, b) (offsetof(struct ibv_send_wr, wr.a) == offsetof(struct ibv_send_wr, wr.b))
                int main(void) {
                """);
        structs.forEach((name, struct) -> {
            source.append("    STRUCT(%s);\n".formatted(name));
            for (MemoryLayout field : fields(struct)) {
                String fieldName = field.name().orElseThrow();
                source.append("    FIELD(%s, %s, %s);\n".formatted(name, fieldName, pathInC(name, fieldName)));
            }
        });
        return source.append("""
                    printf("wr.rdma %d %d\\n", SAME(rdma.remote_addr, atomic.remote_addr), SAME(rdma.rkey, atomic.compare_add));
                    return 0;
                }
                """).toString();
    }

    private static String pathInC(String struct, String field) {
        if (struct.equals("rdma_cm_event") && !DIRECT_IN_EVENT.contains(field)) {
            return "param.conn." + field;
        }
        return C_PATHS.getOrDefault(struct + "." + field, field);
    }

    private String runC(String source) throws Exception {
        Path file = Files.writeString(temporary.resolve("layouts.c"), source, StandardCharsets.UTF_8);
        Path program = temporary.resolve("layouts");
        List<String> compile =
                new ArrayList<>(List.of("gcc", "-Wall", "-Werror", "-o", program.toString(), file.toString()));
        if (!Files.isReadable(Path.of("/usr/include/infiniband/verbs.h"))) {
            // The laboratory has rdma-core's headers unpacked.
            compile.add("-I" + Path.of(Laboratory.image(TEST), "root", "usr", "include"));
        }
        run(compile);
        return run(List.of(program.toString()));
    }

    private static String run(List<String> command) throws Exception {
        ChildProcess.Finished program = ChildProcess.run(new ProcessBuilder(command), Duration.ofSeconds(60));
        assertThat(program.status()).as(program.text()).isZero();
        return program.text();
    }
}
