// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The holders of one lock in this compute node: one writer or any number of readers, by owner. Guarded by the lock's mutex. */
final class Holds {
    private @Nullable Hold writer;
    /** One reader; the others are in {@code moreReaders}, by owner. Most locks never have more than one. */
    private @Nullable Hold reader;

    private @Nullable Map<Object, Hold> moreReaders;
    private @Nullable LostHolds lost;
    private boolean afterWriter;

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

    /** Returns every hold. */
    List<Hold> all() {
        List<Hold> all = new ArrayList<>();
        if (writer != null) {
            all.add(writer);
        }
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

    // ---------------------------------------------------------------- beginning and ending

    void begin(Hold hold) {
        if (hold.isExclusive()) {
            writer = hold;
        } else {
            addReader(hold);
        }
    }

    /** Removes a hold that ended or was lost. */
    void remove(Hold hold) {
        afterWriter = writer == hold;
        if (afterWriter) {
            writer = null;
        } else {
            removeReader(hold);
        }
    }

    /** Removes and returns every hold, because all were lost. */
    List<Hold> removeAll() {
        List<Hold> all = all();
        reader = null;
        moreReaders = null;
        writer = null;
        return all;
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

    /** Keeps a hold that was lost, until its owner releases it. */
    void keepLost(Hold hold) {
        LostHolds known = lost;
        if (known == null) {
            known = new LostHolds();
            lost = known;
        }
        known.add(hold.owner(), hold);
    }

    /** Forgets a lost hold once its owner has released it as often as it was acquired. */
    void forgetLost(Hold hold) {
        LostHolds known = lost;
        if (known != null && hold.isOver()) {
            known.remove(hold);
        }
    }

    /** Forgets every lost hold, although its owner may not have released it. */
    void forgetAllLost() {
        lost = null;
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
}
