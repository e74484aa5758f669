// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.ComputeNodeSettings;
import io.declock.Counters.Event;
import io.declock.CqlSettings;
import io.declock.KeepSettings;
import io.declock.LockHandle;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.Purpose;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules K4 and K7: a lock that many processes read costs them nothing, and a writer gets it as soon as nobody reads. */
@Tag("slow")
@Timeout(60)
class KeptReadersTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final LockRequest READ = LockRequest.read("config").waitTime(LONG);
    private static final LockRequest WRITE = LockRequest.write("config").waitTime(LONG);
    private static final LockOwner OWNER = LockOwner.named("owner");
    private static final int READERS = 3;

    private LockRig rig;
    private final List<ComputeNode> readers = new ArrayList<>();
    private ComputeNode writer;

    // Without self-checks nothing but the messages and marks lets a writer in.
    private void start(boolean overTcp) throws IOException, InterruptedException {
        rig = overTcp ? LockRig.overTcp(settings -> {}) : LockRig.inProcess();
        for (int i = 0; i < READERS; i++) {
            readers.add(join());
        }
        writer = join();
    }

    private ComputeNode join() throws InterruptedException {
        return rig.join(builder -> builder.settings(ComputeNodeSettings.builder()
                .keep(KeepSettings.builder().idle(LONG).build())
                .cql(CqlSettings.builder().selfCheckInterval(LONG).build())
                .build()));
    }

    @AfterEach
    void end() {
        rig.close();
    }

    private static long read(ComputeNode node, int times) throws InterruptedException {
        long last = 0;
        for (int i = 0; i < times; i++) {
            try (LockHandle held = node.acquire(READ, OWNER)) {
                assertThat(held.fencingToken()).isGreaterThanOrEqualTo(last);
                last = held.fencingToken();
            }
        }
        return last;
    }

    private void allKeep() throws InterruptedException {
        for (ComputeNode node : readers) {
            read(node, 10);
            await().atMost(LONG).until(() -> node.monitor().keptNow() == 1);
        }
    }

    private long verbs(ComputeNode node) {
        long sum = 0;
        for (Purpose purpose : Purpose.values()) {
            sum += rig.counters(node).verbs(purpose);
        }
        return sum;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void readingTheSameLockAgainCostsNoRemoteOperation(boolean overTcp) throws Exception {
        start(overTcp);
        allKeep();
        for (ComputeNode node : readers) {
            long before = verbs(node);
            read(node, 20_000);
            // The queue is looked at a hundred times a second, in case a message is lost.
            assertThat(verbs(node) - before).isLessThan(1_000);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWriterGetsItFromAllThatKeepIt(boolean overTcp) throws Exception {
        start(overTcp);
        for (int i = 0; i < 20; i++) {
            allKeep();
            long token = readers.stream().mapToLong(this::readOnce).max().orElseThrow();
            try (LockHandle held = writer.acquire(WRITE, OWNER)) {
                assertThat(held.fencingToken()).isGreaterThan(token);
                assertThat(readers).allMatch(node -> node.monitor().keptNow() == 0);
            }
            for (ComputeNode node : readers) {
                read(node, 2_000);
            }
        }
    }

    private long readOnce(ComputeNode node) {
        try {
            return read(node, 1);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWriterThatDoesNotWaitGetsIt(boolean overTcp) throws Exception {
        start(overTcp);
        allKeep();
        try (LockHandle held = writer.acquireAsync(WRITE.waitTime(Duration.ZERO), OWNER)
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS)) {
            assertThat(held.isValid()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWriterThatDoesNotWaitDoesNotGetWhatIsRead(boolean overTcp) throws Exception {
        start(overTcp);
        allKeep();
        try (LockHandle held = readers.get(0).acquire(READ, OWNER)) {
            assertThat(writer.tryAcquire(WRITE.waitTime(Duration.ZERO))).isEmpty();
            assertThat(held.isValid()).isTrue();
        }
        writer.tryAcquire(WRITE.waitTime(Duration.ZERO)).orElseThrow().close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReaderBecomesTheWriterAlthoughOthersKeepIt(boolean overTcp) throws Exception {
        start(overTcp);
        allKeep();
        try (LockHandle held = readers.get(0).acquire(READ, OWNER)) {
            assertThat(held.tryUpgrade()).isTrue();
        }
        allKeep();
        try (LockHandle other = readers.get(READERS - 1).acquire(READ, OWNER);
                LockHandle held = readers.get(0).acquire(READ, OWNER)) {
            assertThat(held.tryUpgrade()).as("another process reads").isFalse();
            assertThat(other.isValid()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWriterThatComesDuringAReadIsNextWhenItEnds(boolean overTcp) throws Exception {
        start(overTcp);
        allKeep();
        CompletableFuture<LockHandle> next;
        ComputeNode reader = readers.get(0);
        try (LockHandle held = reader.acquire(READ, OWNER)) {
            next = writer.acquireAsync(WRITE, OWNER).toCompletableFuture();
            await().atMost(LONG).until(() -> rig.counters(reader).get(Event.KEPT_WANTED) > 0);
            assertThat(next).isNotDone();
            assertThat(held.isValid()).isTrue();
        }
        next.get(10, TimeUnit.SECONDS).close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWriterInTheSameProcessGetsItToo(boolean overTcp) throws Exception {
        start(overTcp);
        allKeep();
        try (LockHandle held = readers.get(0).acquire(WRITE, OWNER)) {
            assertThat(held.isValid()).isTrue();
        }
    }
}
