// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.UpgradeRefusedException;
import io.declock.internal.protocol.Effects;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The holders of one lock in this compute node: one writer or any number of readers, by owner. Guarded by the lock's mutex. */
final class Holds {
    private final LocalHost host;
    private @Nullable Hold writer;
    /** One reader; the others are in {@code moreReaders}, by owner. Most locks never have more than one. */
    private @Nullable Hold reader;

    private @Nullable Map<Object, Hold> moreReaders;
    private @Nullable LostHolds lost;
    private boolean afterWriter;

    Holds(LocalHost host) {
        this.host = host;
    }

    boolean isEmpty() {
        return writer == null && readers() == 0;
    }

    boolean hasWriter() {
        return writer != null;
    }

    int readers() {
        return (reader == null ? 0 : 1) + (moreReaders == null ? 0 : moreReaders.size());
    }

    /** Returns whether the last hold that ended was a writer's. */
    boolean isAfterWriter() {
        return afterWriter;
    }

    @Nullable
    Hold of(Object owner) {
        Hold exclusive = writer;
        return exclusive != null && exclusive.owner() == owner ? exclusive : readerOf(owner);
    }

    @Nullable
    Hold readerOf(Object owner) {
        Hold one = reader;
        if (one != null && one.owner() == owner) {
            return one;
        }
        return moreReaders == null ? null : moreReaders.get(owner);
    }

    private void addReader(Hold hold) {
        if (reader == null) {
            reader = hold;
            return;
        }
        Map<Object, Hold> more = moreReaders;
        if (more == null) {
            more = new IdentityHashMap<>(2);
            moreReaders = more;
        }
        more.put(hold.owner(), hold);
    }

    private void removeReader(Hold hold) {
        if (reader == hold) {
            reader = null;
        } else if (moreReaders != null) {
            moreReaders.remove(hold.owner(), hold);
        }
    }

    private List<Hold> allReaders() {
        List<Hold> all = new ArrayList<>();
        if (reader != null) {
            all.add(reader);
        }
        if (moreReaders != null) {
            all.addAll(moreReaders.values());
        }
        return all;
    }

    /** Returns whether a hold has neither ended nor been lost. */
    boolean contains(Hold hold) {
        return writer == hold || readerOf(hold.owner()) == hold;
    }

    // ---------------------------------------------------------------- beginning, reentering and ending

    void begin(Hold hold) {
        if (hold.isExclusive()) {
            writer = hold;
        } else {
            addReader(hold);
        }
        host.held(1);
    }

    /**
     * Grants an owner that already holds the lock another acquisition, ahead of all waiters (rule D2), or refuses an acquisition that would
     * wait for the owner itself (rule O2).
     */
    void reenter(Hold own, LocalWaiter waiter) {
        if (waiter.isExclusive() && own.writes == 0) {
            waiter.settle(
                    LocalWaiter.State.FAILED,
                    new UpgradeRefusedException(own.lock.title()
                            + " is held for reading by the same owner, which would wait for itself; "
                            + "use LockHandle.tryUpgrade() or release the read lock first"));
        } else {
            own.add(waiter);
            waiter.grant(own, true);
        }
    }

    void end(Hold hold) {
        remove(hold);
        host.held(-1);
    }

    private void remove(Hold hold) {
        afterWriter = writer == hold;
        if (afterWriter) {
            writer = null;
        } else {
            removeReader(hold);
        }
    }

    // ---------------------------------------------------------------- changing the mode

    void toReader(Hold hold) {
        writer = null;
        addReader(hold);
    }

    /** Makes one acquisition of the only reader exclusive, and so the hold. */
    void toWriter(Hold hold, long token) {
        hold.upgradeOne();
        hold.toToken(token);
        removeReader(hold);
        writer = hold;
    }

    // ---------------------------------------------------------------- losing

    /** Ends a hold that was lost. */
    void lose(Hold hold, LockLostException why, Effects effects) {
        remove(hold);
        toLost(hold, why, effects);
    }

    /** Ends every hold, because all were lost. */
    void loseAll(LockLostException why, Effects effects) {
        List<Hold> all = allReaders();
        if (writer != null) {
            all.add(writer);
        }
        reader = null;
        moreReaders = null;
        writer = null;
        for (Hold hold : all) {
            toLost(hold, why, effects);
        }
    }

    private void toLost(Hold hold, LockLostException why, Effects effects) {
        LostHolds known = lost;
        if (known == null) {
            known = new LostHolds();
            lost = known;
        }
        known.add(hold.owner(), hold);
        host.held(-1);
        hold.lose(why);
        // The mode is read now: the owner may have released the hold when the effects are performed.
        LockMode mode = hold.isExclusive() ? LockMode.WRITE : LockMode.READ;
        effects.run(() -> host.holdLost(mode));
        for (Acquisition acquisition : hold.takeListening()) {
            tell(acquisition, effects);
        }
    }

    /** Notifies the listeners of an acquisition that is lost, alone or with its hold. */
    void tell(Acquisition acquisition, Effects effects) {
        for (Acquisition.LossListener listener : acquisition.takeListeners()) {
            effects.run(
                    listener.quick()
                            ? listener.action()
                            : () -> host.tellOfLoss(acquisition.hold().lock(), listener.action()));
        }
    }

    /** Forgets a lost hold once its owner has released it as often as it was acquired. */
    void forgetLost(Hold hold) {
        LostHolds known = lost;
        if (known != null && hold.isOver()) {
            known.remove(hold);
        }
    }

    /** Returns the lost hold of an owner that has not released it yet, or null. */
    @Nullable
    Hold lostBy(Object owner) {
        return lost == null ? null : lost.of(owner);
    }

    /** Returns whether there is a lost hold that its owner can still release. */
    boolean hasLost() {
        if (lost != null && lost.isEmpty()) {
            lost = null;
        }
        return lost != null;
    }

    void visit(LocalLock.Visitor visitor) {
        if (writer != null) {
            visitor.hold(writer, writer.isExclusive());
        }
        for (Hold hold : allReaders()) {
            visitor.hold(hold, false);
        }
    }
}
