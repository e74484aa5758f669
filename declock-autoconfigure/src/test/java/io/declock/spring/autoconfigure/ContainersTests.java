// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The signs by which a process is taken to run in a container, and signs that do not count. */
class ContainersTests {
    private static final UnaryOperator<@Nullable String> NO_VARIABLES = name -> null;

    @TempDir
    Path root;

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private @Nullable String evidence() {
        return Containers.evidence(root, NO_VARIABLES);
    }

    @Test
    void aPlainMachineIsNone() throws IOException {
        write("proc/self/cgroup", "0::/user.slice/user-1000.slice/session-2.scope\n");
        write("proc/self/mountinfo", "29 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n");
        assertThat(evidence()).isNull();
    }

    @Test
    void aMachineWithoutProcIsNone() {
        assertThat(evidence()).isNull();
    }

    @Test
    void aMachineThatRunsContainersIsNone() throws IOException {
        write("proc/self/cgroup", "0::/system.slice/my-service.service\n");
        write(
                "proc/self/mountinfo",
                "29 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
                        + "99 29 0:50 / /var/lib/docker/overlay2/a/merged rw - overlay overlay rw\n");
        assertThat(evidence()).isNull();
    }

    @ParameterizedTest
    @CsvSource({".dockerenv,Docker", "run/.containerenv,Podman"})
    void aRuntimesFileSaysSo(String file, String runtime) throws IOException {
        write(file, "");
        assertThat(evidence()).contains(runtime);
    }

    @ParameterizedTest
    @CsvSource({
        "KUBERNETES_SERVICE_HOST,Kubernetes",
        "ECS_CONTAINER_METADATA_URI_V4,Amazon ECS",
        "K_SERVICE,Cloud Run",
        "container,container"
    })
    void aVariableSaysSo(String name, String what) {
        assertThat(Containers.evidence(root, Map.of(name, "x")::get)).contains(what, name);
        assertThat(Containers.evidence(root, Map.of(name, "")::get)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "12:pids:/docker/0123456789abcdef",
                "0::/kubepods.slice/kubepods-burstable.slice/cri-containerd-0123.scope",
                "0::/system.slice/containerd.service/kubepods-besteffort-pod0",
                "0::/machine.slice/libpod-0123.scope",
                "3:cpu:/lxc/web"
            })
    void aControlGroupSaysSo(String line) throws IOException {
        write("proc/self/cgroup", line + "\n");
        assertThat(evidence()).contains("cgroup");
    }

    @Test
    void aRootThatIsLayeredUponAnImageSaysSo() throws IOException {
        write("proc/self/cgroup", "0::/\n");
        write("proc/self/mountinfo", "600 500 0:70 / / rw,relatime - overlay overlay rw,lowerdir=/a\n");
        assertThat(evidence()).contains("overlay");
    }
}
