// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.monitor.Isolated;
import io.declock.spi.LockAnswer;
import io.declock.spi.LockInquiry;
import io.declock.spi.LockInquiry.Kind;
import io.declock.spi.LockUse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What an operator sees of the locks of a memory node, and can do about them. The memory node knows the queue of a lock and not its holders, since they
 * take it by one-sided verbs: the compute nodes that know the lock are asked (decision 0112). Thread-safe.
 */
public final class Operator {
    /** How long compute nodes have to answer. */
    static final long PATIENCE_NANOS = 1_000_000_000;
    /** Separates a namespace from a name. */
    private static final char SEPARATOR = '\0';

    private static final Comparator<LockSummary> BUSIEST_FIRST = Comparator.comparingInt(LockSummary::positions)
            .reversed()
            .thenComparing(LockSummary::namespace)
            .thenComparing(LockSummary::name);

    private final NodeBasics node;
    private final Directory directory;
    private final RecordAllocator allocator;
    private final SessionTable sessions;
    private final Reservations reservations;
    private final PassedPositions passed;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<Long, Inquiry> open = new HashMap<>();

    @GuardedBy("lock")
    private long lastNumber;

    /** An inquiry that not every compute node has answered. Guarded by the operator's lock. */
    private static final class Inquiry {
        final Map<MemoryNodeSession, @Nullable LockAnswer> answers = new LinkedHashMap<>();
        final CompletableFuture<Map<MemoryNodeSession, @Nullable LockAnswer>> done = new CompletableFuture<>();
    }

    Operator(
            NodeBasics node,
            Directory directory,
            RecordAllocator allocator,
            SessionTable sessions,
            Reservations reservations) {
        this.node = node;
        this.directory = directory;
        this.allocator = allocator;
        this.sessions = sessions;
        this.reservations = reservations;
        this.passed = new PassedPositions(node, allocator);
    }

    /**
     * Returns the locks through whose queues most positions have passed since the last call, most of them first. One caller calls it, at intervals of
     * about a second.
     *
     * @param most how many at most
     */
    public List<LockActivity> hottest(int most) {
        PriorityQueue<LockActivity> hottest = new PriorityQueue<>(Comparator.comparingDouble(LockActivity::perSecond));
        passed.look((record, perSecond) -> {
            LockSummary summary = summary(record);
            if (summary != null) {
                hottest.add(new LockActivity(summary, perSecond));
                if (hottest.size() > most) {
                    hottest.poll();
                }
            }
        });
        return hottest.stream()
                .sorted(Comparator.comparingDouble(LockActivity::perSecond).reversed())
                .toList();
    }

    /**
     * Returns the locks with the longest queues.
     *
     * @param containing part of the names, empty for all
     * @param most how many at most
     */
    public List<LockSummary> locks(String containing, int most) {
        PriorityQueue<LockSummary> busiest = new PriorityQueue<>(BUSIEST_FIRST.reversed());
        for (int record = 0; record < allocator.total(); record++) {
            LockSummary summary = summary(record);
            if (summary != null && summary.name().contains(containing)) {
                busiest.add(summary);
                if (busiest.size() > most) {
                    busiest.poll();
                }
            }
        }
        return busiest.stream().sorted(BUSIEST_FIRST).toList();
    }

    /** Returns what the header of a record shows, or null if it has no name. */
    private @Nullable LockSummary summary(int record) {
        byte[] bytes = directory.names().get(record);
        if (bytes == null || Directory.isDetached(bytes)) {
            return null;
        }
        String fullName = new String(bytes, StandardCharsets.UTF_8);
        int end = fullName.indexOf(SEPARATOR);
        long address = node.region().recordAddress(record);
        long header = node.region().read(node.layout().header(address));
        return new LockSummary(
                fullName.substring(0, Math.max(0, end)),
                fullName.substring(end + 1),
                LockHeader.size(header),
                LockHeader.writers(header),
                LockHeader.fullEpoch(header, node.region().read(node.layout().epoch(address))),
                LockHeader.isInReset(header));
    }

    /**
     * Asks the compute nodes that know a lock who holds it and who waits for it.
     *
     * @return completes within a little more than a second, empty if the memory node knows no such lock
     */
    public CompletionStage<Optional<LockReport>> look(String namespace, String name) {
        return inquire(namespace, name, Kind.LOOK, 0, "");
    }

    /**
     * Has the compute nodes end the holds of a lock as lost and give them back, and gives back what the memory node keeps for those that have left. Holds
     * that are granted meanwhile go on. A compute node that does not answer keeps its holds; its lease ends them if it is cut off. The owners may still be
     * at work: as with a ceiling that is reached, only the fencing token protects what they do.
     *
     * @param upTo fencing token of the youngest hold that ends, 0 for the holds that there are now
     * @param why told to the owners
     * @return completes as of {@link #look}, after up to twice the time; the answers tell of the holds that have ended
     */
    public CompletionStage<Optional<LockReport>> endHolds(String namespace, String name, long upTo, String why) {
        if (upTo > 0) {
            return inquire(namespace, name, Kind.END_HOLDS, upTo, why);
        }
        int record = recordOf(namespace, name);
        long inTrust = record < 0 ? 0 : reservations.tokenInTrust(record);
        return look(namespace, name)
                .thenCompose(found -> found.isEmpty()
                        ? CompletableFuture.completedStage(found)
                        : inquire(namespace, name, Kind.END_HOLDS, Math.max(inTrust, youngest(found.get())), why));
    }

    private int recordOf(String namespace, String name) {
        return directory.find((namespace + SEPARATOR + name).getBytes(StandardCharsets.UTF_8));
    }

    private static long youngest(LockReport report) {
        return report.users().stream()
                .flatMap(user -> user.uses().stream())
                .mapToLong(LockUse::token)
                .max()
                .orElse(0);
    }

    private CompletionStage<Optional<LockReport>> inquire(
            String namespace, String name, Kind kind, long upTo, String why) {
        int record = recordOf(namespace, name);
        LockSummary summary = record < 0 ? null : summary(record);
        if (summary == null) {
            return CompletableFuture.completedStage(Optional.empty());
        }
        Duration inTrust = reservations.inTrust(record);
        List<MemoryNodeSession> users = sessions.snapshot().stream()
                .filter(session -> session.known().contains(record))
                .toList();
        Inquiry inquiry = new Inquiry();
        LockInquiry question = new LockInquiry(begin(inquiry, users), kind, namespace + SEPARATOR + name, upTo, why);
        users.forEach(session -> Isolated.run(
                "Asking session " + session.describe(), () -> session.listener().inquired(question)));
        if (kind == Kind.END_HOLDS) {
            reservations.endTrust(record, upTo);
        }
        return inquiry.done.thenApply(answers -> Optional.of(report(summary, answers, inTrust)));
    }

    private long begin(Inquiry inquiry, List<MemoryNodeSession> users) {
        long number;
        lock.lock();
        try {
            number = ++lastNumber;
            users.forEach(session -> inquiry.answers.put(session, null));
            open.put(number, inquiry);
        } finally {
            lock.unlock();
        }
        if (users.isEmpty()) {
            end(number);
        } else {
            node.timer().schedule(PATIENCE_NANOS, () -> end(number));
        }
        return number;
    }

    /** A compute node has answered. */
    void answered(MemoryNodeSession session, LockAnswer answer) {
        boolean all;
        lock.lock();
        try {
            Inquiry inquiry = open.get(answer.number());
            if (inquiry == null || !inquiry.answers.containsKey(session)) {
                return;
            }
            inquiry.answers.put(session, answer);
            all = !inquiry.answers.containsValue(null);
        } finally {
            lock.unlock();
        }
        if (all) {
            end(answer.number());
        }
    }

    private void end(long number) {
        Inquiry inquiry;
        lock.lock();
        try {
            inquiry = open.remove(number);
        } finally {
            lock.unlock();
        }
        if (inquiry != null) {
            // Nobody changes the answers any more.
            inquiry.done.complete(inquiry.answers);
        }
    }

    private static LockReport report(
            LockSummary summary, Map<MemoryNodeSession, @Nullable LockAnswer> answers, Duration inTrust) {
        List<LockReport.User> users = new ArrayList<>();
        answers.forEach((session, answer) -> users.add(
                answer == null
                        ? new LockReport.User(session.member(), false, List.of(), 0)
                        : new LockReport.User(session.member(), true, answer.uses(), answer.more())));
        return new LockReport(summary, users, inTrust);
    }
}
