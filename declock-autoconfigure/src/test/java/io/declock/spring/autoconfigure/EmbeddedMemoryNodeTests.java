// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.declock.ComputeNodeMonitor;
import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockNotGrantedException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.MemoryNodeRefusedException;
import io.declock.MemoryNodeView;
import io.declock.spring.Contexts;
import io.declock.testkit.Needs;
import io.declock.testkit.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;

/** Instances on one machine that nobody configured: they find each other, exclude each other, and survive each other. */
@ExtendWith(OutputCaptureExtension.class)
class EmbeddedMemoryNodeTests {
    private static final LockOwner OWNER = LockOwner.named("test");

    @Test
    void aSecondInstanceJoinsTheFirstAndSaysSo(CapturedOutput output) throws IOException {
        String port = "declock.embedded.port=" + Ports.free();
        runner(port)
                .run(first -> runner(port).run(second -> {
                    assertThat(output)
                            .containsPattern("WARN .*hosting one on 127\\.0\\.0\\.1")
                            .containsPattern("WARN .*another instance on this machine hosts one on 127\\.0\\.0\\.1")
                            .contains("For production, run memory nodes and set declock.memory-nodes=");
                    // The detail "embedded" of health.
                    assertThat(first.getBean(MemoryNodeChoice.class).describeEmbedded())
                            .isEqualTo("hosted by this instance; instances on other machines do not share its locks");
                    assertThat(second.getBean(MemoryNodeChoice.class).describeEmbedded())
                            .startsWith("hosted by another instance on this machine; instances on other machines");
                    try (LockHandle handle = lock(first).acquire(LockRequest.write("x"), OWNER)) {
                        assertThat(lock(second)
                                        .tryAcquire(LockRequest.write("x").waitTime(Duration.ofMillis(100))))
                                .isEmpty();
                        assertThat(handle.isValid()).isTrue();
                    }
                    try (LockHandle handle = lock(second).acquire(LockRequest.write("x"), OWNER)) {
                        assertThat(handle.isValid()).isTrue();
                    }
                }));
    }

    @Test
    void anInstanceThatAsksForEverNewNamesLeavesRoomForOthers() throws IOException {
        String port = "declock.embedded.port=" + Ports.free();
        String limit = "declock.embedded.records-per-session=2";
        runner(port, limit)
                .run(first -> runner(port, limit).run(second -> {
                    lock(first).acquire(LockRequest.write("x"), OWNER).close();
                    lock(first).acquire(LockRequest.write("y"), OWNER).close();
                    assertThatThrownBy(() -> lock(first).acquire(LockRequest.write("z"), OWNER))
                            .isInstanceOf(MemoryNodeRefusedException.class)
                            .hasMessageContainingAll("'z'", "created 2", "records per session");
                    lock(second).acquire(LockRequest.write("z"), OWNER).close();
                }));
    }

    @Test
    void aMemoryNodeForOneInstanceAloneIsAllItsOwn() {
        runner("declock.embedded.port=0", "declock.embedded.records=10").run(alone -> {
            for (int i = 0; i < 10; i++) {
                lock(alone).acquire(LockRequest.write("x" + i), OWNER).close();
            }
        });
    }

    @Test
    void whenTheHostEndsAnotherInstanceTakesItsPlace(CapturedOutput output) throws IOException {
        String port = "declock.embedded.port=" + Ports.free();
        runner(port)
                .run(first -> runner(port).run(second -> {
                    long before;
                    try (LockHandle handle = lock(first).acquire(LockRequest.write("x"), OWNER)) {
                        before = handle.fencingToken();
                    }
                    first.getSourceApplicationContext().close();
                    // The second one may not have noticed yet, and still be up.
                    await().atMost(15, TimeUnit.SECONDS)
                            .untilAsserted(() -> assertThat(output).contains("has ended: hosting it here"));
                    await().atMost(15, TimeUnit.SECONDS).until(() -> isUp(second));
                    try (LockHandle handle = lock(second).acquire(LockRequest.write("x"), OWNER)) {
                        assertThat(handle.fencingToken()).isGreaterThan(before);
                    }
                    runner(port).run(third -> {
                        try (LockHandle handle = lock(third).acquire(LockRequest.write("x"), OWNER)) {
                            assertThat(handle.isValid()).isTrue();
                        }
                    });
                }));
    }

    @Test
    void aHoldOutlivesTheInstanceThatHostedItsMemoryNode() throws IOException {
        String port = "declock.embedded.port=" + Ports.free();
        runner(port)
                .run(first -> runner(port).run(second -> {
                    try (LockHandle kept = lock(second).acquire(LockRequest.write("kept"), OWNER)) {
                        first.getSourceApplicationContext().close();
                        long closed = System.nanoTime();
                        lock(second).acquire(LockRequest.write("next"), OWNER).close();
                        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - closed);
                        System.out.println("the host has ended: the next lock after " + millis + " ms");
                        assertThat(millis).isLessThan(2000);
                        runner(port).run(third -> {
                            LockRequest other = LockRequest.write("other");
                            try (LockHandle granted = lock(third).acquire(other, OWNER)) {
                                assertThat(granted.isValid()).isTrue();
                            }
                            LockRequest same = LockRequest.write("kept").waitTime(Duration.ZERO);
                            assertThatExceptionOfType(LockNotGrantedException.class)
                                    .isThrownBy(() -> lock(third).acquire(same, OWNER));
                        });
                        assertThat(kept.isValid()).isTrue();
                    }
                }));
    }

    @Test
    void aFirstStartDoesNotWaitForLeasesThatNobodyGranted() throws IOException {
        String port = "declock.embedded.port=" + Ports.free();
        long before = System.nanoTime();
        runner(port).run(context -> assertThat(isUp(context)).isTrue());
        runner(port).run(context -> assertThat(isUp(context)).isTrue());
        assertThat(System.nanoTime() - before).isLessThan(TimeUnit.MILLISECONDS.toNanos(2800));
    }

    @Test
    void aStartSoonAfterAHostThatLeftHoldersBehindWaitsForTheirLeases() throws IOException {
        int port = Ports.free();
        Path mark = Contexts.directory().resolve("embedded-" + port + ".mark");
        Files.createFile(mark);
        long before = System.nanoTime();
        runner("declock.embedded.port=" + port)
                .run(context -> assertThat(isUp(context)).isTrue());
        assertThat(System.nanoTime() - before).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(2500));
        assertThat(mark).doesNotExist();
    }

    @Test
    void theMarkTellsWhetherAHostLivedHereJustNow(@TempDir Path directory) throws IOException {
        HostingMark mark = new HostingMark(directory, 1, Duration.ofSeconds(3));
        Path file = directory.resolve("embedded-1.mark");
        assertThat(mark.isYoungerThan(Duration.ofDays(1))).isFalse();
        mark.touch();
        assertThat(file).exists();
        assertThat(mark.isYoungerThan(Duration.ofSeconds(5))).isTrue();
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(10)));
        assertThat(mark.isYoungerThan(Duration.ofSeconds(5))).isFalse();
        mark.clear();
        assertThat(file).doesNotExist();
    }

    @Test
    void theMarkKnowsTheLongestLeaseThatMayStillRun(@TempDir Path directory) {
        HostingMark before = new HostingMark(directory, 1, Duration.ofSeconds(20));
        before.touch();
        HostingMark after = new HostingMark(directory, 1, Duration.ofSeconds(3));
        assertThat(after.formerLease()).isEqualTo(Duration.ofSeconds(20));
        after.touch();
        // It may die while it waits.
        assertThat(new HostingMark(directory, 1, Duration.ofSeconds(3)).formerLease())
                .isEqualTo(Duration.ofSeconds(20));
        after.clear();
        assertThat(new HostingMark(directory, 1, Duration.ofSeconds(3)).formerLease())
                .isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void withoutADirectoryOrWithAMarkThatCannotBeWrittenEveryStartWaits(@TempDir Path directory) throws IOException {
        HostingMark nowhere = new HostingMark(null, 1, Duration.ofSeconds(3));
        nowhere.touch();
        assertThat(nowhere.isYoungerThan(Duration.ofMillis(1))).isTrue();
        nowhere.clear();
        // A directory in the file's place: nobody can write to it, not even root.
        Path blocked = Files.createDirectory(directory.resolve("embedded-2.mark"));
        Files.setLastModifiedTime(blocked, FileTime.from(Instant.now().minusSeconds(100)));
        assertThat(new HostingMark(directory, 2, Duration.ofSeconds(3)).isYoungerThan(Duration.ofSeconds(5)))
                .isTrue();
    }

    @Test
    void aStartWithoutADirectoryWaitsForLeasesAndLetsNobodyElseIn(@TempDir Path directory, CapturedOutput output)
            throws IOException {
        String port = "declock.embedded.port=" + Ports.free();
        String none = "declock.embedded.directory=" + Files.createFile(directory.resolve("file"));
        // The first context of a process takes long, whether or not it waits for leases.
        runner().run(first -> assertThat(isUp(first)).isTrue());
        long before = System.nanoTime();
        runner(port, none).run(context -> {
            assertThat(isUp(context)).isTrue();
            assertThat(System.nanoTime() - before).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(2500));
            assertThat(output).contains("cannot be used", "declock.embedded.directory");
            runner(port)
                    .run(stranger ->
                            assertThat(stranger).getFailure().rootCause().hasMessageContaining("declock.secret"));
        });
    }

    @Test
    void theSecretIsForTheOwnersEyesOnlyAndTheSameForAllOfThem(@TempDir Path parent) throws IOException {
        Path path = parent.resolve("own");
        EmbeddedDirectory directory = EmbeddedDirectory.of(path.toString());
        String secret = directory.secret();
        assertThat(secret).hasSizeGreaterThan(32);
        assertThat(EmbeddedDirectory.of(path.toString()).secret()).isEqualTo(secret);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rwx------");
        try (Stream<Path> files = Files.list(path)) {
            assertThat(files)
                    .singleElement()
                    .satisfies(file -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                            .isEqualTo("rw-------"));
        }
    }

    @Test
    void aDirectoryThatOthersCanReachIsNotTrusted(@TempDir Path parent, CapturedOutput output) throws IOException {
        Path open = Files.createDirectory(parent.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(EmbeddedDirectory.of(open.toString()).path()).isNull();
        assertThat(output).contains("is open to others (rwxrwxrwx)", "chmod 700");
    }

    @Test
    void aLinkToADirectoryIsNotTrusted(@TempDir Path parent) throws IOException {
        // Private, so that only the link is wrong with it.
        Path elsewhere =
                EmbeddedDirectory.of(parent.resolve("elsewhere").toString()).path();
        assertThat(elsewhere).isNotNull();
        Path link = Files.createSymbolicLink(parent.resolve("link"), elsewhere);
        assertThat(EmbeddedDirectory.of(link.toString()).path()).isNull();
    }

    /** An administrator may write to every directory, so that only the owner tells whose it is. */
    @Test
    void aDirectoryOfAnotherUserIsNotTrusted(@TempDir Path parent, CapturedOutput output) throws IOException {
        Path directory = EmbeddedDirectory.of(parent.resolve("own").toString()).path();
        assertThat(directory).isNotNull();
        Needs.option(() -> giveAway(directory), "A directory of another user", "a user who may give files away (root)");
        assertThat(EmbeddedDirectory.of(directory.toString()).path()).isNull();
        assertThat(output).contains("belongs to another user");
    }

    private static boolean giveAway(Path directory) {
        try {
            Files.setAttribute(directory, "unix:uid", 4711);
            return true;
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    @Test
    void theFirstApplicationMakesTheSecretForAll(@TempDir Path parent) throws Exception {
        for (int round = 0; round < 50; round++) {
            Path path = parent.resolve("own" + round);
            Set<String> secrets = ConcurrentHashMap.newKeySet();
            CyclicBarrier together = new CyclicBarrier(16);
            List<Thread> processes = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                processes.add(new Thread(() -> {
                    try {
                        together.await();
                        secrets.add(EmbeddedDirectory.of(path.toString()).secret());
                    } catch (Exception e) {
                        secrets.add(e.toString());
                    }
                }));
            }
            processes.forEach(Thread::start);
            for (Thread process : processes) {
                process.join();
            }
            assertThat(secrets).as("round %d", round).hasSize(1);
        }
    }

    @Test
    void whatCannotBeToldIsTakenForAHost(@TempDir Path directory) throws IOException {
        assertThat(new HostingMark(directory.resolve("missing"), 1, Duration.ofSeconds(3))
                        .isYoungerThan(Duration.ofSeconds(5)))
                .isTrue();
        // A file where the directory should be: the mark's age cannot be read.
        assertThat(new HostingMark(Files.createFile(directory.resolve("file")), 1, Duration.ofSeconds(3))
                        .isYoungerThan(Duration.ofSeconds(5)))
                .isTrue();
    }

    @Test
    void startsAndStopsOfSeveralThreadsDoNotDisturbEachOther() throws IOException {
        int port = Ports.free();
        runner("declock.embedded.port=" + port).run(context -> {
            EmbeddedMemoryNode embedded =
                    context.getBean(MemoryNodeChoice.class).embedded();
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                Runnable step = i % 2 == 0 ? embedded::start : embedded::stop;
                threads.add(CompletableFuture.runAsync(() -> {
                    for (int round = 0; round < 10; round++) {
                        step.run();
                    }
                }));
            }
            CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
            embedded.stop();
            assertThat(embedded.isElsewhere()).isTrue();
            new ServerSocket(port, 1, InetAddress.getLoopbackAddress()).close();
            embedded.start();
            assertThat(embedded.isElsewhere()).isFalse();
        });
    }

    private static ApplicationContextRunner runner(String... properties) {
        return Contexts.locks().withPropertyValues(properties);
    }

    private static boolean isUp(ApplicationContext context) {
        return context.getBean(ComputeNodeMonitor.class).memoryNodes().get(0).state() == MemoryNodeView.State.UP;
    }

    private static DistributedReadWriteLock lock(ApplicationContext context) {
        return context.getBean(DistributedReadWriteLock.class);
    }
}
