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
 * What a state machine wants done, collected under its mutex and performed after the mutex was released, in order. One per event,
 * whose time it knows; not thread-safe.
 */
public final class Effects {
    private static final Object[] NONE = {};
    private static final int INLINE = 2;

    // Nearly always there are no more than two, which need no array.
    private @Nullable Object first;
    private @Nullable Object second;
    private Object[] more = NONE;
    private int size;
    // Null once it was read.
    private @Nullable Clock unread;
    private long now;
    private @Nullable Throwable failure;

    /**
     * Begins an event that wants nothing done yet.
     *
     * @param clock is read once, if the event's time matters
     */
    public Effects(Clock clock) {
        this.unread = clock;
    }

    /**
     * Returns when the event happens, in nanoseconds of the clock: the same whenever it is asked for during the event. One reading
     * serves all that an event decides, as a reading costs as much as the rest of a step.
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

    /** Runs something that must not run under the mutex: waking a caller, telling the coordinator. */
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

    /** Returns whether nothing is to be done. */
    public boolean isEmpty() {
        return size == 0;
    }

    /**
     * Performs everything, in order. The caller holds no mutex. An effect that throws keeps none of the others from being performed; what
     * the first of them threw is thrown at the end.
     */
    public void perform(CqlEnvironment environment) {
        for (int i = 0; i < size; i++) {
            try {
                perform(get(i), environment);
            } catch (RuntimeException | Error e) {
                failed(e);
            }
        }
        end();
    }

    private static void perform(@Nullable Object effect, CqlEnvironment environment) {
        if (effect instanceof VerbChain chain) {
            environment.post(chain);
        } else if (effect instanceof Send send) {
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

    /** Throws what the first effect threw that failed. All the others were performed. */
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

    /** Performs effects that can only be actions, for a lock that has no session. */
    public void performWithoutSession() {
        for (int i = 0; i < size; i++) {
            try {
                if (get(i) instanceof Runnable action) {
                    action.run();
                }
            } catch (RuntimeException | Error e) {
                failed(e);
            }
        }
        end();
    }

    private record Send(Member to, PeerMessage message) {}
}
