// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.internal.time.Clock;
import io.declock.spi.Member;
import io.declock.spi.PeerMessage;
import io.declock.spi.VerbChain;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The actions that a state machine collects under its mutex. They are performed in order after the mutex was released. One object per
 * event, whose time it also keeps; not thread-safe.
 */
public final class Effects {
    private static final Object[] NONE = {};
    private static final int INLINE = 2;

    // Most events have at most two effects, which need no array.
    private @Nullable Object first;
    private @Nullable Object second;
    private Object[] more = NONE;
    private int size;
    // The clock, null once it was read.
    private @Nullable Clock unread;
    private long now;
    private @Nullable Throwable failure;

    /**
     * Makes the effects of a new event, empty.
     *
     * @param clock clock that is read at most once, when the event's time is needed
     */
    public Effects(Clock clock) {
        this.unread = clock;
    }

    /**
     * Returns the time of the event in nanoseconds of the clock; every call during the event returns the same value. The clock is read once
     * per event, because a reading costs as much as the rest of a step.
     */
    public long now() {
        Clock clock = unread;
        if (clock != null) {
            unread = null;
            now = clock.nanoTime();
        }
        return now;
    }

    /** Posts a chain. */
    public void post(VerbChain chain) {
        add(chain);
    }

    /** Sends a message to a peer. */
    public void send(Member to, PeerMessage message) {
        add(new Send(to, message));
    }

    /** Runs an action that must not run under the mutex: waking a caller, notifying the coordinator. */
    public void run(Runnable action) {
        add(action);
    }

    private void add(Object effect) {
        if (size == 0) {
            first = effect;
        } else if (size == 1) {
            second = effect;
        } else {
            int at = size - INLINE;
            if (at == more.length) {
                more = Arrays.copyOf(more, Math.max(INLINE, at * 2));
            }
            more[at] = effect;
        }
        size++;
    }

    private @Nullable Object get(int i) {
        return i == 0 ? first : i == 1 ? second : more[i - INLINE];
    }

    /**
     * Performs all effects in order. The caller holds no mutex. An effect that throws does not keep the others from being performed; the
     * first exception is thrown at the end.
     *
     * @param environment environment of the lock's session; without one, only actions are performed
     */
    public void perform(@Nullable CqlEnvironment environment) {
        for (int i = 0; i < size; i++) {
            try {
                perform(get(i), environment);
            } catch (RuntimeException | Error e) {
                failed(e);
            }
        }
        end();
    }

    private static void perform(@Nullable Object effect, @Nullable CqlEnvironment environment) {
        if (effect instanceof VerbChain chain && environment != null) {
            environment.post(chain);
        } else if (effect instanceof Send send && environment != null) {
            environment.send(send.to, send.message);
        } else if (effect instanceof Runnable action) {
            action.run();
        }
    }

    private void failed(Throwable e) {
        if (failure == null) {
            failure = e;
        } else if (failure != e) {
            failure.addSuppressed(e);
        }
    }

    /** Throws the exception of the first effect that failed. All others were performed. */
    private void end() {
        size = 0;
        Throwable thrown = failure;
        failure = null;
        if (thrown instanceof RuntimeException exception) {
            throw exception;
        }
        if (thrown instanceof Error error) {
            throw error;
        }
    }

    private record Send(Member to, PeerMessage message) {}
}
