// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.internal.monitor.Isolated;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The data plane of one session, over all its connections (rules B2 and G1 of docs/protocol.md). Each connection has a gate of its own. The
 * next one gets a gate only when no verb of the last one can be executed any more, and none does after a cut. A caller that detaches or cuts is
 * told when no verb can be executed any more; what a cut waits for includes the data plane of an adapter.
 *
 * <p>Thread-safe. No gate is closed, no adapter called and no step run while the lock is held.
 */
final class SessionDataPlane {
    private final String session;
    private final Runnable whenCut;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final List<Runnable> afterDetachment = new ArrayList<>();

    @GuardedBy("lock")
    private final List<Runnable> afterCut = new ArrayList<>();

    private volatile @Nullable DataPlane adapter;

    // These are written with the lock held.
    /** The gate of the present connection, or of the last one. */
    private volatile DataPlaneGate gate = new DataPlaneGate();

    private volatile Connection connection = Connection.ATTACHED;
    /** The cut has begun. */
    private volatile boolean cutting;
    /** No verb that the session posted can be executed any more. */
    private volatile boolean cut;

    /** The state of a session's connection. */
    private enum Connection {
        /** Its verbs are executed. */
        ATTACHED,
        /** It has ended, and the last of its verbs may still be under way. */
        DETACHING,
        /** No verb of it can be executed any more. */
        DETACHED
    }

    /**
     * Makes one with its first connection.
     *
     * @param session description of the session, for the log
     * @param whenCut runs once, after the steps that follow the cut
     */
    SessionDataPlane(String session, Runnable whenCut) {
        this.session = session;
        this.whenCut = whenCut;
    }

    /** Sets the data plane of an adapter, which must be cut, too. */
    void attach(DataPlane plane) {
        adapter = plane;
    }

    /** Returns the gate of the present connection, or of the last one. */
    DataPlaneGate gate() {
        return gate;
    }

    /** Returns whether there is a connection whose verbs are executed. */
    boolean isConnected() {
        return connection == Connection.ATTACHED && !cutting;
    }

    /** Returns whether a cut has begun. */
    boolean isCutting() {
        return cutting;
    }

    /** Returns whether a cut is done: no verb that the session posted can be executed any more. */
    boolean isCut() {
        return cut;
    }

    /** Ends the data plane for good; {@code then} runs when no verb can be executed any more, perhaps at once. */
    void cut(Runnable then) {
        boolean first;
        boolean now;
        Connection present;
        lock.lock();
        try {
            first = !cutting;
            cutting = true;
            now = cut;
            present = connection;
            if (!now) {
                afterCut.add(then);
            }
        } finally {
            lock.unlock();
        }
        if (now) {
            then.run();
        } else if (first) {
            switch (present) {
                case ATTACHED -> gate.close(this::cutAdapter);
                case DETACHED -> cutAdapter();
                // The end of the detachment goes on with the cut.
                case DETACHING -> {}
            }
        }
    }

    /**
     * Ends the data plane of the connection; {@code then} runs when it is quiet, or when the session is cut.
     *
     * @return whether this call has ended it
     */
    boolean detach(Runnable then) {
        boolean first = false;
        boolean now = false;
        lock.lock();
        try {
            if (cutting) {
                now = cut;
            } else {
                now = connection == Connection.DETACHED;
                first = connection == Connection.ATTACHED;
                connection = now ? Connection.DETACHED : Connection.DETACHING;
            }
            if (!now) {
                (cutting ? afterCut : afterDetachment).add(then);
            }
        } finally {
            lock.unlock();
        }
        if (now) {
            then.run();
        } else if (first) {
            gate.close(this::wasDetached);
        }
        return first;
    }

    private void wasDetached() {
        List<Runnable> then;
        boolean cuts;
        lock.lock();
        try {
            connection = Connection.DETACHED;
            cuts = cutting;
            then = List.copyOf(afterDetachment);
            afterDetachment.clear();
        } finally {
            lock.unlock();
        }
        if (cuts) {
            cutAdapter();
        }
        then.forEach(step -> Isolated.run("A step after the detachment of session " + session, step));
    }

    /** Opens the data plane for the next connection; returns its gate, or null if the session is over. */
    @Nullable
    DataPlaneGate reattach() {
        lock.lock();
        try {
            if (cutting) {
                return null;
            }
            if (connection != Connection.DETACHED) {
                throw new IllegalStateException("session " + session + " is not detached");
            }
            DataPlaneGate fresh = new DataPlaneGate();
            gate = fresh;
            connection = Connection.ATTACHED;
            return fresh;
        } finally {
            lock.unlock();
        }
    }

    private void cutAdapter() {
        DataPlane plane = adapter;
        if (plane == null) {
            wasCut();
        } else {
            plane.cut(this::wasCut);
        }
    }

    private void wasCut() {
        List<Runnable> then;
        lock.lock();
        try {
            cut = true;
            then = List.copyOf(afterCut);
            afterCut.clear();
        } finally {
            lock.unlock();
        }
        then.forEach(step -> Isolated.run("A step after the cut of session " + session, step));
        whenCut.run();
    }
}
