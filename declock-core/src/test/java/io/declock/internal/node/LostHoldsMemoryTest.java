// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.internal.local.LocalLock;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A lost hold that is never released must not be kept for ever, nor be forgotten while its owner can still release it. */
@Timeout(60)
class LostHoldsMemoryTest {
    private static final LockRequest SHORT = LockRequest.write("x").leaseTime(Duration.ofMillis(20));

    private LockRig rig;
    private ComputeNode node;

    @BeforeEach
    void start() throws Exception {
        rig = LockRig.inProcess();
        node = rig.join();
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    @Test
    void aLostHandleThatNobodyKeepsIsForgotten() throws Exception {
        ReferenceQueue<Object> collected = new ReferenceQueue<>();
        LockOwner owner = LockOwner.named("keeps its handle no longer");
        Reference<?> handle = loseAHandle(owner, collected);
        awaitCollected(collected);
        assertThat(handle.get()).isNull();
        acquireOnceForgotten(owner);
        assertThat(lock().retire()).isTrue();
    }

    @Test
    void aLostHandleThatIsKeptIsNotForgotten() throws Exception {
        LockOwner owner = LockOwner.named("keeps its handle");
        LockHandle handle = lose(owner);
        collectSomething();
        assertThat(lock().retire()).isFalse();
        assertThatThrownBy(() -> node.acquire(LockRequest.write("x"), owner)).isInstanceOf(LockLostException.class);
        assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);
        assertThat(lock().retire()).isTrue();
    }

    @Test
    void whatADeadThreadLostIsForgotten() throws Exception {
        ReferenceQueue<Object> collected = new ReferenceQueue<>();
        Reference<?> thread = loseThroughAViewInAThread(collected);
        awaitCollected(collected);
        assertThat(thread.get()).isNull();
        while (!lock().retire()) {
            collectSomething();
        }
    }

    /** A thread that has just ended the hold may keep it reachable for one collection more than the handle. */
    private void acquireOnceForgotten(LockOwner owner) throws InterruptedException {
        while (true) {
            try {
                node.acquire(LockRequest.write("x"), owner).close();
                return;
            } catch (LockLostException e) {
                collectSomething();
            }
        }
    }

    private WeakReference<Object> loseAHandle(LockOwner owner, ReferenceQueue<Object> collected) throws Exception {
        return new WeakReference<>(lose(owner), collected);
    }

    private LockHandle lose(LockOwner owner) throws InterruptedException {
        LockHandle handle = node.acquire(SHORT, owner);
        // Granted when the first hold was lost.
        node.acquire(LockRequest.write("x").waitTime(Duration.ofSeconds(20)), LockOwner.named("next"))
                .close();
        assertThat(handle.isValid()).isFalse();
        return handle;
    }

    private WeakReference<Object> loseThroughAViewInAThread(ReferenceQueue<Object> collected) throws Exception {
        Thread thread = new Thread(() -> {
            try {
                LockHandle handle = node.acquire(SHORT);
                node.lock("x").writeLock().lock();
                Reference.reachabilityFence(handle);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        thread.start();
        thread.join();
        node.acquire(LockRequest.write("x").waitTime(Duration.ofSeconds(20)), LockOwner.named("next"))
                .close();
        return new WeakReference<>(thread, collected);
    }

    private LocalLock lock() {
        LocalLock lock = LockRig.lock(node, "x");
        assertThat(lock).isNotNull();
        return lock;
    }

    private static void collectSomething() throws InterruptedException {
        ReferenceQueue<Object> collected = new ReferenceQueue<>();
        Reference<?> sentinel = new WeakReference<>(new Object(), collected);
        awaitCollected(collected);
        assertThat(sentinel.get()).isNull();
    }

    private static void awaitCollected(ReferenceQueue<Object> collected) throws InterruptedException {
        Reference<?> found = null;
        while (found == null) {
            System.gc();
            found = collected.remove(50);
        }
    }
}
