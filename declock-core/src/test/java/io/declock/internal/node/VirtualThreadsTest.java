// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.ComputeNodeSettings;
import io.declock.DecLock;
import io.declock.LockHandle;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.internal.tcp.server.LoopbackMemoryNode;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/**
 * Virtual threads wait for a lock without the thread that carries them. The tests also run on Java 17, which has no virtual threads; there
 * is nothing to see there.
 */
@EnabledForJreRange(min = JRE.JAVA_21)
@Timeout(120)
class VirtualThreadsTest {
    private static final int THREADS = 10_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private ThreadFactory virtualThreads;
    private LoopbackMemoryNode memoryNode;
    private DecLock locks;
    private int inTurn;

    @BeforeEach
    void start() throws Exception {
        // This code is compiled for Java 17.
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        virtualThreads = (ThreadFactory)
                Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
        memoryNode = new LoopbackMemoryNode();
        locks = memoryNode.open(ComputeNodeSettings.DEFAULTS);
    }

    @AfterEach
    void stop() {
        locks.close();
        memoryNode.close();
    }

    @Test
    void tenThousandOfThemGetTheLockInTurnAndKeepNoCarrier() throws Exception {
        ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
        List<RecordedEvent> pinned = pinnedDuring(() -> {
            LockHandle first = locks.acquire(LockRequest.write("x"), LockOwner.named("first"));
            Lock view = locks.lock("x").writeLock();
            CountDownLatch left = new CountDownLatch(THREADS);
            for (int i = 0; i < THREADS; i++) {
                boolean byView = i % 2 == 0;
                virtualThreads
                        .newThread(() -> {
                            try {
                                takeTurn(byView ? view : null);
                            } catch (Throwable e) {
                                failures.add(e);
                            } finally {
                                left.countDown();
                            }
                        })
                        .start();
            }
            await().atMost(PATIENCE)
                    .until(() -> locks.monitor().locks(2 * THREADS).size() == THREADS + 1);
            first.close();
            assertThat(left.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        });
        assertThat(failures).isEmpty();
        // No atomic operation: the lock alone orders the turns.
        assertThat(inTurn).isEqualTo(THREADS);
        assertThat(pinned).as("virtual threads that kept their carrier").isEmpty();
    }

    private void takeTurn(Lock view) throws InterruptedException {
        if (view != null) {
            view.lock();
            inTurn++;
            view.unlock();
        } else {
            try (LockHandle handle = locks.acquire(LockRequest.write("x").waitTime(PATIENCE))) {
                inTurn += handle.isValid() ? 1 : 0;
            }
        }
    }

    /** The test above would see it. */
    @Test
    void aThreadThatKeepsItsCarrierIsSeen() throws Exception {
        List<RecordedEvent> pinned = pinnedDuring(() -> {
            Thread thread = virtualThreads.newThread(() -> {
                try {
                    MethodHandles.lookup().ensureInitialized(ParksWhileItIsInitialised.class);
                } catch (IllegalAccessException e) {
                    throw new AssertionError(e);
                }
            });
            thread.start();
            thread.join();
        });
        assertThat(pinned).isNotEmpty();
    }

    /** A thread that initialises a class cannot leave its carrier. */
    private static final class ParksWhileItIsInitialised {
        static {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    private List<RecordedEvent> pinnedDuring(Work work) throws Exception {
        Path file = directory.resolve("recording.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("jdk.VirtualThreadPinned").withoutThreshold().withStackTrace();
            recording.start();
            work.run();
            recording.stop();
            recording.dump(file);
        }
        return ours(file);
    }

    /** Returns the events whose threads were in code of this project. */
    private static List<RecordedEvent> ours(Path file) throws IOException {
        List<RecordedEvent> ours = new ArrayList<>(RecordingFile.readAllEvents(file));
        ours.removeIf(event -> event.getStackTrace() != null
                && event.getStackTrace().getFrames().stream()
                        .noneMatch(
                                frame -> frame.getMethod().getType().getName().startsWith("io.declock.")));
        return ours;
    }

    @FunctionalInterface
    private interface Work {
        void run() throws Exception;
    }
}
