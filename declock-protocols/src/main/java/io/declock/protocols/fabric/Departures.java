// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import io.declock.protocols.LockMessage;
import io.declock.spi.Member;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Messages of this process to another one, in order. A word of the memory may name a client before this process has heard that its process has joined, so messages wait for that. They do not wait for ever, because the
 * process may be gone; then nobody gets them. Thread-safe.
 */
final class Departures {
    /** How long it takes until a message that waits is tried again. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** A process that is not heard of in so many pauses, five seconds, is gone. */
    static final int MOST_PAUSES = 2_500;

    /** Runs something later. */
    @FunctionalInterface
    interface Timer {
        void after(long nanos, Runnable event);
    }

    /** Sends a message; the number of its first part is one that follows those of all parts before. */
    @FunctionalInterface
    interface Sender {
        /** Returns the number of the next message's first part. */
        long send(Member to, LockMessage message, long number);
    }

    private final Supplier<@Nullable Member> receiver;
    private final Timer timer;
    private final Sender sender;
    private final Turns turns;
    private final Queue<LockMessage> waiting = new ArrayDeque<>();
    private int pauses;
    /** The receiver's incarnation that {@link #next} belongs to. */
    private int incarnation;

    private long next;

    /**
     * Makes it.
     *
     * @param receiver the process, null while it has not been heard of
     * @param failed told what sending throws
     */
    Departures(Supplier<@Nullable Member> receiver, Timer timer, Sender sender, Consumer<Throwable> failed) {
        this.receiver = receiver;
        this.timer = timer;
        this.sender = sender;
        this.turns = new Turns(failed);
    }

    void send(LockMessage message) {
        turns.run(() -> {
            waiting.add(message);
            if (waiting.size() == 1) {
                sendAll();
            }
        });
    }

    private void sendAll() {
        Member to = receiver.get();
        if (to != null) {
            pauses = 0;
            sendAll(to);
        } else if (++pauses <= MOST_PAUSES) {
            timer.after(PAUSE_NANOS, () -> turns.run(this::sendAll));
        } else {
            pauses = 0;
            waiting.clear();
        }
    }

    private void sendAll(Member to) {
        if (to.incarnation() != incarnation) {
            incarnation = to.incarnation();
            next = 0;
        }
        while (!waiting.isEmpty()) {
            next = sender.send(to, waiting.remove(), next);
        }
    }
}
