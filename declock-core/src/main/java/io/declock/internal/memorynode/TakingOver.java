// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.internal.monitor.Isolated;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.GivenUp;
import io.declock.spi.NodeList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory node as a target: lets holds be restored in the names of a source, and has resolutions of them wait until a compute node brings
 * the word that the source has given them up. Then it writes the records of the restored holds, as at the end of a {@link Grace} (rules M4
 * and M5 of docs/protocol.md).
 *
 * <p>It alone replaces the {@link CurrentList}: the sources that are awaited there are those that it has.
 *
 * <p>Thread-safe. Answers are given after the lock was released.
 */
final class TakingOver {
    private static final Logger log = LoggerFactory.getLogger(TakingOver.class);

    private final NodeBasics node;
    private final CurrentList current;
    private final MemberList store;
    private final HighWaterMark mark;
    private final Supplier<Claims> noClaims;
    private final ReentrantLock lock = new ReentrantLock();

    /** The sources that have not given up, by id. */
    @GuardedBy("lock")
    private final Map<String, Source> sources = new TreeMap<>();

    /** Epochs of the records that were written when names were taken over. A later list has others, and does not change those of an earlier one. */
    @GuardedBy("lock")
    private final Map<Taken, Long> epochs = new HashMap<>();

    /** The names of a source that this memory node has by a list. */
    private record Taken(String source, long list) {
        static Taken by(GivenUp word) {
            return new Taken(word.source(), word.number());
        }
    }

    /** What is asked about names of one source. */
    private static final class Source {
        final Claims claims;
        final List<Runnable> parked = new ArrayList<>();
        final List<NodeLists.Answer<Long>> waiting = new ArrayList<>();
        boolean opening;

        Source(Claims claims) {
            this.claims = claims;
        }
    }

    /**
     * Goes on with the sources that a former life has awaited.
     *
     * @param noClaims makes the holds of one source, of which none is restored yet
     */
    TakingOver(NodeBasics node, CurrentList current, MemberList store, HighWaterMark mark, Supplier<Claims> noClaims) {
        this.node = node;
        this.current = current;
        this.store = store;
        this.mark = mark;
        this.noClaims = noClaims;
        lock.lock();
        try {
            current.awaited().forEach(this::await);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void await(String source) {
        sources.put(source, new Source(noClaims.get()));
    }

    /**
     * Replaces the list, and the sources by those of the new one.
     *
     * @return whether the list is later than the present one; otherwise nothing has changed
     */
    boolean begin(KeptNodes next) {
        lock.lock();
        try {
            if (next.list().number() <= current.list().number()) {
                return false;
            }
            sources.clear();
            next.awaited().forEach(this::await);
            current.set(next.list(), next.awaited());
            return true;
        } finally {
            lock.unlock();
        }
    }

    // ---------------------------------------------------------------- until the word comes

    /**
     * Restores a hold in a name whose source has not given it up yet.
     *
     * @return the address of the record
     * @throws FabricException.Refused if it contradicts another one, or the name is not awaited
     */
    long restore(MemoryNodeSession session, byte[] name, boolean exclusive, long heldEpoch)
            throws FabricException.Refused {
        Claims.check(node, name, heldEpoch);
        String from = current.awaitedFor(name);
        lock.lock();
        try {
            Source source = from == null ? null : sources.get(from);
            if (source == null || source.opening || session.isCut() || !current.isHome(name)) {
                throw refused(
                        Reason.SESSION_OVER, "takes no hold over any more: positions in that name are taken already");
            }
            return source.claims.add(session, name, exclusive, heldEpoch);
        } finally {
            lock.unlock();
        }
    }

    /** Has a resolution wait until the source of its name has given it up; returns whether it waits, or was refused. */
    boolean park(byte[] name, Runnable resolution, Runnable tooMany) {
        String from = current.awaitedFor(name);
        if (from == null) {
            return false;
        }
        boolean full;
        lock.lock();
        try {
            Source source = sources.get(from);
            if (source == null) {
                return false;
            }
            full = source.parked.size() >= Grace.MOST_PARKED;
            if (!full) {
                source.parked.add(resolution);
            }
        } finally {
            lock.unlock();
        }
        if (full) {
            tooMany.run();
        }
        return true;
    }

    // ---------------------------------------------------------------- the word

    /** A compute node brings the word that a source has given its names up. */
    void heard(GivenUp word, NodeLists.Answer<Long> answer) {
        NodeList list = current.list();
        if (word.number() > 0 && word.number() < list.number()) {
            // Before it had a later list, it had taken over all by that one.
            answer.done().accept(epochOf(Taken.by(word)));
            return;
        }
        if (word.number() != list.number() || word.epoch() < 0 || !node.isPlausible(word.epoch())) {
            answer.refused()
                    .accept(refused(
                            word.number() == list.number() ? Reason.BAD_REQUEST : Reason.NOT_YET,
                            "has " + list.describe() + ", and heard of list " + word.number() + " with epoch "
                                    + word.epoch()));
            return;
        }
        boolean isFirst = false;
        long known = 0;
        List<String> left = List.of();
        lock.lock();
        try {
            Source source = sources.get(word.source());
            if (source == null) {
                known = epochOf(Taken.by(word));
            } else {
                isFirst = !source.opening;
                source.opening = true;
                source.waiting.add(answer);
                // Others may be being written down, too, and what is written last stays.
                left = sources.entrySet().stream()
                        .filter(other -> !other.getValue().opening)
                        .map(Map.Entry::getKey)
                        .toList();
            }
        } finally {
            lock.unlock();
        }
        if (known > 0) {
            answer.done().accept(known);
        } else if (isFirst) {
            keep(word, new KeptNodes(list, left));
        }
    }

    private long epochOf(Taken taken) {
        lock.lock();
        try {
            return epochs.getOrDefault(taken, 1L);
        } finally {
            lock.unlock();
        }
    }

    private void keep(GivenUp word, KeptNodes kept) {
        store.keepNodes(kept, new MemberList.Outcome() {
            @Override
            public void written() {
                open(word, kept.list());
            }

            @Override
            public void failed(String why) {
                notOpened(word, refused(Reason.NOT_YET, "cannot keep the list of memory nodes: " + why));
            }
        });
    }

    private void notOpened(GivenUp word, FabricException.Refused why) {
        List<NodeLists.Answer<Long>> told;
        lock.lock();
        try {
            Source source = sources.get(word.source());
            if (source == null) {
                return;
            }
            source.opening = false;
            told = List.copyOf(source.waiting);
            source.waiting.clear();
        } finally {
            lock.unlock();
        }
        told.forEach(one -> one.refused().accept(why));
    }

    private void open(GivenUp word, NodeList list) {
        Source source;
        int holds;
        long written;
        lock.lock();
        try {
            source = sources.remove(word.source());
            if (source == null || current.list() != list) {
                return;
            }
            mark.raiseAbove(
                    Math.max(word.epoch(), node.settings().secondsSince2025().getAsLong()));
            written = mark.current();
            epochs.put(Taken.by(word), written);
            holds = source.claims.write(written, session -> true);
            current.set(list, List.copyOf(sources.keySet()));
        } finally {
            lock.unlock();
        }
        log.info(
                "Memory node {} has taken over the names of {} by list {}; {} holds were restored",
                node.id(),
                word.source(),
                list.number(),
                holds);
        source.waiting.forEach(one -> Isolated.run(
                "Telling that names are taken over", () -> one.done().accept(written)));
        source.parked.forEach(resolution -> Isolated.run("A resolution that waited", resolution));
    }

    private FabricException.Refused refused(Reason reason, String what) {
        return new FabricException.Refused(reason, "memory node " + node.id() + " " + what);
    }
}
