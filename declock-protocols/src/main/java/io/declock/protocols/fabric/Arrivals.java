// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import io.declock.spi.PeerMessage;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Messages of one process to this one, in the order of sending: a fabric may let one overtake another. Each has a number, from zero on. One that comes before those that were sent earlier waits for them, but not
 * for ever, because a broken connection loses some. Thread-safe.
 */
final class Arrivals {
    /** What has not come by then is lost. Longer than a message is on its way where a machine is emulated. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Departures.Timer timer;
    private final Consumer<PeerMessage> deliver;
    private final Turns turns;
    private final TreeMap<Long, PeerMessage> early = new TreeMap<>();
    private long next;
    /** The latest number that was missing when one after it came. */
    private long missed = -1;

    /**
     * Makes it.
     *
     * @param deliver gets each message, one after the other
     * @param failed told what that throws
     */
    Arrivals(Departures.Timer timer, Consumer<PeerMessage> deliver, Consumer<Throwable> failed) {
        this.timer = timer;
        this.deliver = deliver;
        this.turns = new Turns(failed);
    }

    void received(long number, PeerMessage message) {
        turns.run(() -> accept(number, message));
    }

    private void accept(long number, PeerMessage message) {
        if (number < next) {
            return;
        }
        early.put(number, message);
        deliverWhatIsNext();
    }

    private void deliverWhatIsNext() {
        while (!early.isEmpty() && early.firstKey() == next) {
            next++;
            deliver.accept(early.pollFirstEntry().getValue());
        }
        if (!early.isEmpty() && missed != next) {
            long missing = next;
            missed = next;
            timer.after(PATIENCE_NANOS, () -> turns.run(() -> giveUp(missing)));
        }
    }

    private void giveUp(long missing) {
        if (next == missing && !early.isEmpty()) {
            next = early.firstKey();
            deliverWhatIsNext();
        }
    }
}
