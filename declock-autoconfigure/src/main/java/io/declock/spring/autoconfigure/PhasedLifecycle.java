// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import org.springframework.context.SmartLifecycle;

/**
 * One managed part of the lock: started before the web server accepts requests, stopped after the web server has drained. Thread-safe.
 *
 * <p>The parts start in the order of their phases and stop in the reverse order: {@link #MEMORY_NODE}, {@link #SESSIONS}, {@link
 * #COMPONENTS}, {@link #GATE}. They are not pausable: a paused application keeps its leases.
 */
final class PhasedLifecycle implements SmartLifecycle {
    private static final int BEFORE_WEB_SERVER = DEFAULT_PHASE - 4096;
    /** Phase of the embedded memory node. */
    static final int MEMORY_NODE = BEFORE_WEB_SERVER;
    /** Phase of the sessions with the memory nodes. */
    static final int SESSIONS = BEFORE_WEB_SERVER + 1;
    /** Phase of the reset coordinator and of clock synchronisation. */
    static final int COMPONENTS = BEFORE_WEB_SERVER + 2;
    /** Phase of the gate, which stops first and refuses acquisitions from then on. */
    static final int GATE = BEFORE_WEB_SERVER + 3;

    private final String name;
    private final int phase;
    private final Runnable starter;
    private final Runnable stopper;
    private volatile boolean running;

    PhasedLifecycle(String name, int phase, Runnable starter, Runnable stopper) {
        this.name = name;
        this.phase = phase;
        this.starter = starter;
        this.stopper = stopper;
    }

    @Override
    public void start() {
        starter.run();
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        stopper.run();
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
        return phase;
    }

    @Override
    public String toString() {
        return name;
    }
}
