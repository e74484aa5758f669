// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.mcs;

import io.declock.Purpose;
import io.declock.protocols.LockMessage;
import io.declock.protocols.LockWorld;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A place in a queue whose tail is one word: the number of the last client and one, or zero. It knows how the client comes and goes; what it means to be the
 * first, or to be handed the place of the one before, is the lock's. Not thread-safe.
 */
public abstract class McsPlace {
    private static final int SUCCESSOR = 1;
    private static final int HAND_OVER = 2;
    private static final int NOBODY = -1;

    private final int number;
    private final long lock;
    private final LockWorld world;
    private int successor = NOBODY;
    /** Set if the place was left and the successor is not known yet. */
    private @Nullable Runnable left;

    /**
     * Makes a place that is not in the queue yet.
     *
     * @param number number of the client
     * @param lock address of the lock
     */
    protected McsPlace(int number, long lock, LockWorld world) {
        this.number = number;
        this.lock = lock;
        this.world = world;
    }

    /** Replaces a value of the tail; the function gets the former value. */
    protected abstract void swapTail(Purpose purpose, long expected, long desired, LongConsumer then);

    /** The queue was empty when the client entered it. */
    protected abstract void isFirst();

    /**
     * The client before has handed its place over.
     *
     * @param detail what that one has {@linkplain #handedOn() handed on}
     */
    protected abstract void isHandedOver(long detail);

    /**
     * Does what comes before the place is handed over to a known successor; as it is here, that is nothing.
     *
     * @param then to be called once when it is done
     */
    protected void beforeHandOver(Runnable then) {
        then.run();
    }

    /** Returns what the successor is told when the client hands its place over. */
    protected abstract long handedOn();

    /**
     * Replaces whatever is in the tail; the function gets the former value. As it is here, it swaps the value that it expects, and on failure the one that it has
     * learnt.
     */
    protected void exchangeTail(Purpose purpose, long desired, LongConsumer then) {
        exchangeTail(purpose, 0, desired, then);
    }

    private void exchangeTail(Purpose purpose, long expected, long desired, LongConsumer then) {
        swapTail(purpose, expected, desired, former -> {
            if (former == expected) {
                then.accept(former);
            } else {
                exchangeTail(purpose, former, desired, then);
            }
        });
    }

    private static long wordOf(int client) {
        return client + 1L;
    }

    private static int clientOf(long word) {
        return (int) (word - 1);
    }

    final void enter() {
        exchangeTail(Purpose.ACQUIRE, wordOf(number), former -> {
            if (former == 0) {
                isFirst();
            } else {
                world.send(new LockMessage(number, clientOf(former), lock, SUCCESSOR, 0));
            }
        });
    }

    final void received(LockMessage message) {
        switch (message.kind()) {
            case SUCCESSOR -> isFollowedBy(message.from());
            case HAND_OVER -> isHandedOver(message.detail());
            default -> throw new IllegalArgumentException("unknown kind of message: " + message);
        }
    }

    private void isFollowedBy(int client) {
        successor = client;
        if (left != null) {
            handOver(left);
        }
    }

    /**
     * Leaves the queue.
     *
     * @param then called when the client is in the queue no more
     */
    final void leave(Runnable then) {
        if (successor != NOBODY) {
            handOver(then);
            return;
        }
        swapTail(Purpose.RELEASE, wordOf(number), 0, former -> {
            if (former == wordOf(number)) {
                then.run();
            } else if (successor != NOBODY) {
                handOver(then);
            } else {
                left = then;
            }
        });
    }

    private void handOver(Runnable then) {
        beforeHandOver(() -> {
            world.send(new LockMessage(number, successor, lock, HAND_OVER, handedOn()));
            then.run();
        });
    }
}
