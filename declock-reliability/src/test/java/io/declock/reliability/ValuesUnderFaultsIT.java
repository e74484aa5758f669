// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.reliability.cluster.Cluster;
import io.declock.testkit.ChildProcess;
import io.declock.testkit.Commands;
import io.declock.testkit.TcpProxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Four processes add one to a guarded value again and again, while they are killed, stopped for longer than a lease, cut from the memory node, and have
 * their holds ended by the operator. No value is lost, torn or older than one that was seen, and none is stored by a late holder: in the order of
 * the fencing tokens each holder has seen what the one before it has stored.
 */
class ValuesUnderFaultsIT {
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final Duration FAULTS = Duration.ofSeconds(Boolean.getBoolean("declock.quick") ? 8 : 25);
    private static final int WORKERS = 4;

    @TempDir
    private Path directory;

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final List<Running> running = new ArrayList<>();
    private int started;

    private record Running(ChildProcess process, TcpProxy proxy) {
        void end() {
            process.close();
            proxy.close();
        }
    }

    /** What one holder has seen, and whether it knows that it has stored the next number. */
    private record Turn(long seen, boolean stored) {}

    private Running start(int port) throws IOException {
        TcpProxy proxy = new TcpProxy(port);
        String name = "worker-" + started++;
        List<String> command = Commands.java(
                List.of("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                Commands.classPath(),
                ValueWorker.class.getName(),
                List.of("tcp://127.0.0.1:" + proxy.port(), name, Long.toString(LEASE.toMillis())));
        return new Running(
                ChildProcess.logged(
                        name,
                        new ProcessBuilder(command).directory(directory.toFile()),
                        directory.resolve(name + ".log")),
                proxy);
    }

    @Test
    @Timeout(180)
    void noValueIsLostTornOrStoredByALateHolder() throws Exception {
        MemoryNode node = MemoryNode.create(
                MemoryNodeSettings.builder("mn").waitOutOldSessions(false).build(),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong());
        long seed = System.nanoTime();
        System.out.println("seed of the faults: " + seed);
        try (MemoryNodeServer server = MemoryNodeServer.start(
                node,
                MemoryNodeServerSettings.builder().host("127.0.0.1").port(0).build())) {
            for (int i = 0; i < WORKERS; i++) {
                running.add(start(server.port()));
            }
            int[] faults = disturb(node, server.port(), new Random(seed));
            Cluster.pause(LEASE.multipliedBy(3));
            running.forEach(Running::end);
            Map<Long, Turn> turns = turns();
            System.out.printf(
                    "%d turns in %d processes; killed %d, stopped %d, severed %d, ended %d%n",
                    turns.size(), started, faults[0], faults[1], faults[2], faults[3]);
            check(turns);
            assertThat(turns).hasSizeGreaterThan(500);
            assertThat(faults).doesNotContain(0);
        } finally {
            running.forEach(Running::end);
            node.close();
            timer.shutdownNow();
        }
    }

    private int[] disturb(MemoryNode node, int port, Random random) throws Exception {
        int[] faults = new int[4];
        long until = System.nanoTime() + FAULTS.toNanos();
        for (int kind = 0; System.nanoTime() < until; kind = (kind + 1) % faults.length) {
            Cluster.pause(Duration.ofMillis(200 + random.nextInt(500)));
            int chosen = random.nextInt(WORKERS);
            Running worker = running.get(chosen);
            switch (kind) {
                case 0 -> {
                    worker.process.kill();
                    worker.proxy.close();
                    running.set(chosen, start(port));
                }
                case 1 -> {
                    worker.process.pause();
                    timer.schedule(worker.process::resume, LEASE.toMillis() * 2, TimeUnit.MILLISECONDS);
                }
                case 2 -> worker.proxy.sever();
                default -> node.operator().endHolds("default", "value", 0, "a test");
            }
            faults[kind]++;
        }
        return faults;
    }

    /** Returns the turns by their tokens. */
    private Map<Long, Turn> turns() throws IOException {
        Map<Long, Turn> turns = new TreeMap<>();
        try (Stream<Path> logs = Files.list(directory)) {
            for (Path log :
                    logs.filter(each -> each.toString().endsWith(".log")).toList()) {
                for (String line : Files.readAllLines(log)) {
                    String[] words = line.split(" ");
                    if (words[0].equals("saw")) {
                        assertThat(turns.put(Long.parseLong(words[1]), new Turn(Long.parseLong(words[2]), false)))
                                .as("two holders of token %s", words[1])
                                .isNull();
                    } else if (words[0].equals("stored")) {
                        turns.computeIfPresent(Long.parseLong(words[1]), (token, turn) -> new Turn(turn.seen, true));
                    }
                    assertThat(line).doesNotContain("torn");
                }
            }
        }
        return turns;
    }

    private static void check(Map<Long, Turn> turns) {
        Turn before = new Turn(0, false);
        long token = 0;
        for (Map.Entry<Long, Turn> next : turns.entrySet()) {
            long seen = next.getValue().seen;
            if (before.stored) {
                assertThat(seen)
                        .as("seen with token %d after token %d has stored", next.getKey(), token)
                        .isEqualTo(before.seen + 1);
            } else {
                assertThat(seen)
                        .as("seen with token %d after token %d has perhaps stored", next.getKey(), token)
                        .isBetween(before.seen, before.seen + 1);
            }
            before = next.getValue();
            token = next.getKey();
        }
    }
}
