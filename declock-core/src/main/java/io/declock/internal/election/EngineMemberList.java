// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.election;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.internal.memorynode.KeptNodes;
import io.declock.internal.memorynode.MemberList;
import io.declock.internal.monitor.Isolated;
import io.declock.internal.time.TimerService;
import io.declock.spi.election.ElectionEngine;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The list of a memory node's members at the engine that elects its candidates, for one term (rule H1). Changes that come while a write is
 * under way go together with the next one. A removal that could not be written is tried again. Thread-safe.
 */
final class EngineMemberList implements MemberList {
    private static final Logger log = LoggerFactory.getLogger(EngineMemberList.class);

    private final Attempts engine;
    private final TimerService timer;
    private final long pauseNanos;
    private final long term;
    private final LongConsumer over;
    private final KeptMembers kept;
    private final Former former;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<String, Change> waiting = new LinkedHashMap<>();

    @GuardedBy("lock")
    private final Deque<Long> lives;

    @GuardedBy("lock")
    private int highestIncarnation;

    @GuardedBy("lock")
    private boolean writing;

    @GuardedBy("lock")
    private boolean closed;

    /** A value to be kept, and who waits for it. */
    private record Change(Optional<byte[]> value, List<Outcome> outcomes) {}

    /**
     * Makes one.
     *
     * @param pauseNanos time until a removal is tried again
     * @param found what former terms kept
     * @param over called with the term when the engine says that it is over
     */
    EngineMemberList(
            Attempts engine,
            TimerService timer,
            long pauseNanos,
            long term,
            Map<String, byte[]> found,
            LongConsumer over) {
        this.engine = engine;
        this.timer = timer;
        this.pauseNanos = pauseNanos;
        this.term = term;
        this.over = over;
        this.kept = KeptMembers.read(found);
        this.former = kept.former();
        this.lives = new ArrayDeque<>(kept.lives());
        this.highestIncarnation = former.highestIncarnation();
        if (!kept.damaged().isEmpty()) {
            log.error(
                    "{} keeps values that this version cannot read: {}. The memory node waits for the longest lease.",
                    engine.title(),
                    kept.damaged());
        }
    }

    /** Returns the candidates that the last term knew, empty for none. */
    List<String> candidates() {
        return kept.candidates();
    }

    /** Writes which candidates this term knows. */
    void keepCandidates(List<String> candidates) {
        change(KeptMembers.CANDIDATES, text(String.join(",", candidates)), Optional.empty());
    }

    @Override
    public Former former() {
        return former;
    }

    @Override
    public void begin(long memoryNodeIncarnation) {
        String text;
        lock.lock();
        try {
            lives.addLast(memoryNodeIncarnation);
            if (lives.size() > KeptMembers.MOST_LIVES) {
                lives.removeFirst();
            }
            text = KeptMembers.livesText(lives);
        } finally {
            lock.unlock();
        }
        change(KeptMembers.LIVES, text(text), Optional.empty());
    }

    @Override
    public void add(ListedMember member, Outcome outcome) {
        int highest = 0;
        lock.lock();
        try {
            if (member.incarnation() > highestIncarnation) {
                highestIncarnation = member.incarnation();
                highest = highestIncarnation;
            }
        } finally {
            lock.unlock();
        }
        if (highest > 0) {
            change(KeptMembers.INCARNATION, text(Integer.toString(highest)), Optional.empty());
        }
        change(
                KeptMembers.nameOf(member.nodeId(), member.incarnation()),
                text(KeptMembers.textOf(member)),
                Optional.of(outcome));
    }

    @Override
    public void remove(int nodeId, int incarnation) {
        change(KeptMembers.nameOf(nodeId, incarnation), Optional.empty(), Optional.empty());
    }

    @Override
    public void raiseMark(long epoch, Outcome outcome) {
        change(KeptMembers.MARK, text(Long.toString(epoch)), Optional.of(outcome));
    }

    @Override
    public void complete(boolean complete, Outcome outcome) {
        change(KeptMembers.COMPLETE, text(Boolean.toString(complete)), Optional.of(outcome));
    }

    @Override
    public void keepNodes(KeptNodes nodes, Outcome outcome) {
        change(KeptMembers.NODES, text(nodes.text()), Optional.of(outcome));
    }

    private static Optional<byte[]> text(String text) {
        return Optional.of(text.getBytes(StandardCharsets.UTF_8));
    }

    private void change(String name, Optional<byte[]> value, Optional<Outcome> outcome) {
        lock.lock();
        try {
            List<Outcome> outcomes = new ArrayList<>();
            Change earlier = waiting.get(name);
            if (earlier != null) {
                outcomes.addAll(earlier.outcomes());
            }
            outcome.ifPresent(outcomes::add);
            // A value keeps the place of an earlier one: nothing overtakes what it must not.
            waiting.put(name, new Change(value, outcomes));
        } finally {
            lock.unlock();
        }
        write();
    }

    /** Writes the next changes, unless a write is under way. */
    private void write() {
        Map<String, Change> batch = new LinkedHashMap<>();
        lock.lock();
        try {
            if (writing || closed || waiting.isEmpty()) {
                return;
            }
            writing = true;
            Iterator<Map.Entry<String, Change>> next = waiting.entrySet().iterator();
            while (next.hasNext() && batch.size() < ElectionEngine.MOST_CHANGES) {
                Map.Entry<String, Change> entry = next.next();
                batch.put(entry.getKey(), entry.getValue());
                next.remove();
            }
        } finally {
            lock.unlock();
        }
        Map<String, Optional<byte[]>> changes = new LinkedHashMap<>();
        batch.forEach((name, change) -> changes.put(name, change.value()));
        engine.keep(term, changes, new Attempts.Ending<>() {
            @Override
            public void answered(Boolean lasts) {
                if (lasts) {
                    written(batch);
                } else {
                    notWritten(batch, "term " + term + " is over", false);
                    over.accept(term);
                }
            }

            @Override
            public void failed(String why) {
                notWritten(batch, why, true);
            }
        });
    }

    private void written(Map<String, Change> batch) {
        ended();
        batch.values()
                .forEach(change -> change.outcomes()
                        .forEach(outcome -> Isolated.run("Telling that a member is listed", outcome::written)));
        write();
    }

    private void notWritten(Map<String, Change> batch, String why, boolean again) {
        boolean retries = false;
        lock.lock();
        try {
            for (Map.Entry<String, Change> entry : batch.entrySet()) {
                Change change = entry.getValue();
                if (again && change.outcomes().isEmpty() && !waiting.containsKey(entry.getKey())) {
                    waiting.put(entry.getKey(), change);
                    retries = true;
                }
            }
        } finally {
            lock.unlock();
        }
        batch.values()
                .forEach(change -> change.outcomes()
                        .forEach(outcome ->
                                Isolated.run("Telling that a member is not listed", () -> outcome.failed(why))));
        if (retries) {
            timer.schedule(pauseNanos, () -> {
                ended();
                write();
            });
        } else {
            ended();
            write();
        }
    }

    private void ended() {
        lock.lock();
        try {
            writing = false;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
    }
}
