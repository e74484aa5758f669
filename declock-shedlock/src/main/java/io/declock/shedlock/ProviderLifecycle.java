// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.shedlock;

import org.springframework.context.SmartLifecycle;

/**
 * Closes the provider when schedulers have stopped, and before DecLock waits for the holders of locks: it would wait in vain for locks
 * that no task needs any more. Thread-safe.
 */
final class ProviderLifecycle implements SmartLifecycle {
    /** Schedulers stop earlier, at the default phase; DecLock's own parts stop later, 4096 phases below it. */
    private static final int PHASE = DEFAULT_PHASE - 3072;

    private final DecLockProvider provider;
    private volatile boolean running;

    ProviderLifecycle(DecLockProvider provider) {
        this.provider = provider;
    }

    @Override
    public void start() {
        provider.open();
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        provider.close();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
