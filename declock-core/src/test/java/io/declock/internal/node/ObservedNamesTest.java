// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.declock.GrantKind;
import io.declock.LockMode;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.MemoryNodeUnavailableException;
import io.declock.MemoryNodeView;
import io.declock.spi.LockObserver;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ObservedNamesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final List<String> events = new CopyOnWriteArrayList<>();

    @Test
    void theObserverIsToldTheNameOfTheLockInEachEvent() throws Exception {
        try (LockRig rig = LockRig.inProcess()) {
            ComputeNode node = rig.join(builder -> builder.observer(new Recording()));

            node.acquire(LockRequest.write("a")).close();
            node.acquireAsync(LockRequest.read("b"), LockOwner.named("one"))
                    .toCompletableFuture()
                    .join()
                    .close();
            node.lock("c").writeLock().lock();
            LockRequest now = LockRequest.write("c").waitTime(Duration.ZERO);
            assertThat(node.acquireAsync(now, LockOwner.named("other")).toCompletableFuture())
                    .failsWithin(PATIENCE);
            node.lock("c").writeLock().unlock();
            node.acquire(LockRequest.write("d").leaseTime(Duration.ofMillis(10)));
            await().atMost(PATIENCE).until(() -> events.contains("lost d WRITE"));

            assertThat(events)
                    .containsSubsequence("granted a WRITE", "released a WRITE", "granted b READ", "released b READ")
                    .containsSubsequence("granted c WRITE", "not granted c WRITE TIMED_OUT", "released c WRITE")
                    .containsSubsequence("granted d WRITE", "lost d WRITE");
        }
    }

    @Test
    void aCallerThatWaitedForItsMemoryNodeMetNoBusyLock() throws Exception {
        try (LockRig rig = LockRig.overTcp(more -> {})) {
            ComputeNode node = rig.join(builder -> builder.observer(new Recording()));
            node.acquire(LockRequest.write("a")).close();
            rig.stopMemoryNode();
            await().atMost(PATIENCE)
                    .until(() -> node.monitor().memoryNodes().get(0).state() != MemoryNodeView.State.UP);

            LockRequest request = LockRequest.write("b").waitTime(Duration.ofMillis(100));
            assertThatExceptionOfType(MemoryNodeUnavailableException.class).isThrownBy(() -> node.acquire(request));
            assertThat(node.acquireAsync(request, LockOwner.named("one")).toCompletableFuture())
                    .failsWithin(PATIENCE);

            assertThat(events)
                    .containsSubsequence("not granted b WRITE UNAVAILABLE", "not granted b WRITE UNAVAILABLE")
                    .doesNotContain("not granted b WRITE TIMED_OUT");
        }
    }

    private final class Recording implements LockObserver {
        @Override
        public void granted(String name, LockMode mode, GrantKind kind, long waitNanos) {
            events.add("granted " + name + " " + mode);
        }

        @Override
        public void released(String name, LockMode mode, long heldNanos) {
            events.add("released " + name + " " + mode);
        }

        @Override
        public void notGranted(String name, LockMode mode, Outcome outcome, long waitNanos) {
            events.add("not granted " + name + " " + mode + " " + outcome);
        }

        @Override
        public void lost(String name, LockMode mode) {
            events.add("lost " + name + " " + mode);
        }
    }
}
