// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Holds up one of several event loops until it is closed. */
public final class HeldUpLoop implements AutoCloseable {
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final EventLoops loops;

    /** Returns when the loop has begun to stand still. */
    public HeldUpLoop(EventLoops loops) throws InterruptedException {
        this.loops = loops;
        CountDownLatch heldUp = new CountDownLatch(1);
        loops.group().next().execute(() -> {
            heldUp.countDown();
            awaitQuietly(goOn);
        });
        heldUp.await();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Lets the loop go on, and waits until every loop has run what was due within the next time. */
    public void goOn(long delay, TimeUnit unit) throws InterruptedException {
        close();
        for (EventExecutor loop : loops.group()) {
            loop.schedule(() -> {}, delay, unit).sync();
        }
    }

    @Override
    public void close() {
        goOn.countDown();
    }
}
