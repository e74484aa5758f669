// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.internal.monitor.Isolated;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.GivenUp;
import io.declock.spi.NodeList;
import io.declock.spi.NodeListState;
import io.declock.spi.NodeSet;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces the list of memory nodes while compute nodes work, and gives names up or takes them over (rules M1 to M5 of docs/protocol.md).
 *
 * <p>As a source it has given its names up when every compute node here has declared the list, or its session has ended. As a target it lets
 * holds be restored in the names of a source, and has resolutions of them wait until a compute node brings the word that the source has given
 * them up. Then it writes the records of the restored holds, as at the end of a {@link Grace}.
 *
 * <p>Thread-safe. Answers are given after the lock was released.
 */
final class NameTransfer implements MemoryNodeSession.Lists {
    private static final Logger log = LoggerFactory.getLogger(NameTransfer.class);
    private static final int DETACHED_AT_ONCE = 1 << 16;

    private final NodeBasics node;
    private final CurrentList current;
    private final MemberList store;
    private final SessionTable sessions;
    private final Directory directory;
    private final RecordAllocator allocator;
    private final HighWaterMark mark;
    private final BooleanSupplier isGraceOver;
    private final Runnable whenGivenUp;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private @Nullable Proposal proposal;

    /**
     * The last list that was given to this memory node, from before it is written down. One that could not be written may be in its place all
     * the same, so no other list of its number is agreed to in this life.
     */
    @GuardedBy("lock")
    private NodeList given = NodeList.NONE;

    /** The sources that have not given up, by id. */
    @GuardedBy("lock")
    private final Map<String, Source> sources = new TreeMap<>();

    /** The sessions that wait until the names are given up, each with its last request: earlier ones have timed out. */
    @GuardedBy("lock")
    private final Map<MemoryNodeSession, LongConsumer> waiting = new LinkedHashMap<>();

    /** Number of the list whose foreign names are being detached, or were. */
    @GuardedBy("lock")
    private long detaching;

    /** Number of the last list by which names were given up. */
    private volatile long givenUp;

    /** Epochs of the records of the sources whose names were taken over. */
    @GuardedBy("lock")
    private final Map<String, Long> epochs = new HashMap<>();

    /** A list that a session proposes. */
    private record Proposal(NodeList list, MemoryNodeSession by) {}

    /** What is asked about names of one source. */
    private static final class Source {
        final Claims claims;
        final List<Runnable> parked = new ArrayList<>();
        final List<MemoryNodeSession.Answer<Long>> waiting = new ArrayList<>();
        boolean opening;

        Source(Claims claims) {
            this.claims = claims;
        }
    }

    /**
     * @param isGraceOver returns whether no member of a former life is awaited any more
     * @param whenGivenUp runs when records may be left that no compute node uses any more
     */
    NameTransfer(
            NodeBasics node,
            CurrentList current,
            MemberList store,
            SessionTable sessions,
            Directory directory,
            RecordAllocator allocator,
            HighWaterMark mark,
            BooleanSupplier isGraceOver,
            Runnable whenGivenUp) {
        this.node = node;
        this.current = current;
        this.store = store;
        this.sessions = sessions;
        this.directory = directory;
        this.allocator = allocator;
        this.mark = mark;
        this.isGraceOver = isGraceOver;
        this.whenGivenUp = whenGivenUp;
        lock.lock();
        try {
            current.awaited().forEach(this::await);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void await(String source) {
        sources.put(source, new Source(new Claims(node, directory, allocator, mark)));
    }

    // ---------------------------------------------------------------- the list

    @Override
    public NodeList list() {
        return current.list();
    }

    /** Returns how far this memory node is with its list. */
    @Override
    public NodeListState state() {
        NodeList list = current.list();
        return new NodeListState(list, current.awaited(), sessions.undeclared(list.number()), obstacle());
    }

    /** Returns why the list cannot be changed now, or an empty text. */
    private String obstacle() {
        NodeList list = current.list();
        if (store == MemberList.NONE) {
            return "memory node " + node.id() + " has no place that survives it: give it a state directory"
                    + " (declock.memory-node.state-directory) or an engine (declock.memory-node.election)";
        }
        String old = sessions.oneThatKnowsNoLists();
        if (!old.isEmpty()) {
            return "compute node " + old + " at memory node " + node.id()
                    + " is of a release that knows no lists of memory" + " nodes: update it first";
        }
        if (!current.awaited().isEmpty()) {
            return "memory node " + node.id() + " has not taken over yet the names of "
                    + String.join(", ", current.awaited()) + " by list " + list.number();
        }
        if (givenUp < list.number()) {
            return "memory node " + node.id() + " has not given up yet the names that belong to others by list "
                    + list.number();
        }
        return "";
    }

    /**
     * Agrees to take a list as the next one, for as long as the session lasts (rule M1).
     *
     * @throws FabricException.Refused if it does not
     */
    @Override
    public void propose(MemoryNodeSession session, NodeList list) throws FabricException.Refused {
        check(list);
        String obstacle = obstacle();
        lock.lock();
        try {
            NodeList present = current.list();
            if (present.equals(list)) {
                return;
            }
            if (isAdded(list) ? list.number() <= present.number() : list.number() != present.number() + 1) {
                throw refused(
                        Reason.BAD_NODE_SET,
                        "has " + (present.isNone() ? "no list of memory nodes" : present.describe()) + ", which list "
                                + list.number() + " cannot follow");
            }
            if (!obstacle.isEmpty()) {
                throw new FabricException.Refused(Reason.NOT_YET, obstacle);
            }
            checkFormer(session, list);
            checkAgreed(session, list);
            proposal = new Proposal(list, session);
        } finally {
            lock.unlock();
        }
    }

    private void check(NodeList list) throws FabricException.Refused {
        long ids = list.nodes().stream().map(NodeList.Node::id).distinct().count();
        boolean has = list.nodes().contains(list.changed());
        boolean fits = ids == list.nodes().size() && ids > 0 && ids < NodeSet.MAX_SIZE;
        if (list.isNone() || !fits || has != list.added()) {
            throw refused(Reason.BAD_REQUEST, "takes no " + list.describe());
        }
        int bytes = KeptNodes.text(list, ids(list)).getBytes(StandardCharsets.UTF_8).length;
        if (bytes > KeptNodes.MAX_BYTES) {
            throw refused(
                    Reason.BAD_REQUEST,
                    "keeps no list of memory nodes of " + bytes + " bytes, " + KeptNodes.MAX_BYTES
                            + " are possible: use shorter ids and addresses");
        }
        boolean hasLines = list.nodes().stream()
                .anyMatch(one -> (one.id() + one.address()).chars().anyMatch(Character::isISOControl));
        if (hasLines) {
            throw refused(Reason.BAD_REQUEST, "keeps no id or address with control characters");
        }
    }

    private void checkFormer(MemoryNodeSession session, NodeList list) throws FabricException.Refused {
        NodeSet known = sessions.nodeSet(session);
        boolean isNew = isAdded(list);
        if (isNew && sessions.snapshot().size() > 1) {
            throw refused(Reason.BAD_NODE_SET, "is used by compute nodes already, and cannot be added");
        }
        if (!isNew && !known.isNone() && !known.equals(list.former())) {
            throw refused(
                    Reason.BAD_NODE_SET, "belongs to another set of memory nodes than the one that the list changes");
        }
    }

    private boolean isAdded(NodeList list) {
        return list.added() && list.changed().id().equals(node.id());
    }

    /** A compute node declares that it uses a list, and the memory node takes it if it does not have it yet (rules M1 and M3). */
    @Override
    public void declare(MemoryNodeSession session, NodeList list, MemoryNodeSession.Answer<NodeList> answer) {
        NodeList present = current.list();
        if (present.equals(list)) {
            sessions.declare(session, list.number());
            answer.done().accept(list);
            look();
            return;
        }
        try {
            check(list);
            checkFollows(session, present, list);
        } catch (FabricException.Refused e) {
            answer.refused().accept(e);
            return;
        }
        List<String> awaits = awaitedBy(list);
        store.keepNodes(new KeptNodes(list, awaits), new MemberList.Outcome() {
            @Override
            public void written() {
                take(list, awaits);
                sessions.declare(session, list.number());
                answer.done().accept(list);
                look();
            }

            @Override
            public void failed(String why) {
                answer.refused().accept(refused(Reason.NOT_YET, "cannot keep the list of memory nodes: " + why));
            }
        });
    }

    private void checkFollows(MemoryNodeSession session, NodeList present, NodeList list)
            throws FabricException.Refused {
        if (list.number() <= present.number()) {
            throw refused(
                    list.number() == present.number() ? Reason.BAD_NODE_SET : Reason.NOT_YET,
                    "has " + present.describe());
        }
        if (session.isCut()) {
            throw refused(Reason.SESSION_OVER, "takes no list from compute node " + session.describe());
        }
        lock.lock();
        try {
            checkAgreed(session, list);
            given = list;
        } finally {
            lock.unlock();
        }
    }

    /** Refuses a list if this memory node has agreed to another one of that number, or was given another one. */
    @GuardedBy("lock")
    private void checkAgreed(MemoryNodeSession session, NodeList list) throws FabricException.Refused {
        Proposal agreed = proposal;
        if (given.number() == list.number() && !given.equals(list)) {
            throw refused(
                    Reason.NOT_YET,
                    "was given " + given.describe() + " before: repeat the command that has published that list");
        }
        if (agreed != null
                && agreed.by != session
                && !agreed.by.isCut()
                && agreed.list.number() == list.number()
                && !agreed.list.equals(list)) {
            throw refused(
                    Reason.NOT_YET,
                    "has agreed to " + agreed.list.describe() + ", which compute node " + agreed.by.describe()
                            + " proposes");
        }
    }

    private List<String> awaitedBy(NodeList list) {
        boolean takes = list.targets().stream().anyMatch(target -> target.id().equals(node.id()));
        return takes ? list.sources().stream().map(NodeList.Node::id).toList() : List.of();
    }

    private static List<String> ids(NodeList list) {
        return list.nodes().stream().map(NodeList.Node::id).toList();
    }

    private void take(NodeList list, List<String> awaits) {
        lock.lock();
        try {
            if (list.number() <= current.list().number()) {
                return;
            }
            proposal = null;
            sources.clear();
            awaits.forEach(this::await);
            current.set(list, awaits);
        } finally {
            lock.unlock();
        }
        log.info("Memory node {} has {}", node.id(), list.describe());
        for (MemoryNodeSession session : sessions.snapshot()) {
            if (session.knowsLists() && !session.isCut()) {
                Isolated.run(
                        "Telling session " + session.describe() + " of the list of memory nodes",
                        () -> session.listener().nodesChanged(list));
            }
        }
    }

    private FabricException.Refused refused(Reason reason, String what) {
        return new FabricException.Refused(reason, "memory node " + node.id() + " " + what);
    }

    // ---------------------------------------------------------------- the source

    /** Waits until the names that belong to others by a list are given up. */
    @Override
    public void awaitGivenUp(MemoryNodeSession session, long number, MemoryNodeSession.Answer<Long> answer) {
        if (number > current.list().number()) {
            answer.refused().accept(refused(Reason.NOT_YET, "does not have list " + number + " of memory nodes yet"));
            return;
        }
        boolean now;
        lock.lock();
        try {
            now = givenUp >= number;
            if (!now) {
                waiting.keySet().removeIf(other -> other.gone);
                waiting.put(session, answer.done()::accept);
            }
        } finally {
            lock.unlock();
        }
        if (now) {
            answer.done().accept(mark.current());
        } else {
            look();
        }
    }

    /** A session has ended or declared a list, or the grace is over: looks whether the names are given up now. */
    void look() {
        long number = current.list().number();
        if (number <= givenUp || !isGraceOver.getAsBoolean() || sessions.undeclared(number) > 0) {
            return;
        }
        lock.lock();
        try {
            if (detaching >= number) {
                return;
            }
            detaching = number;
        } finally {
            lock.unlock();
        }
        detachFrom(0, number);
    }

    /**
     * Takes the records from the names that belong to others, so that the names can come back to this memory node by a later list, and raises
     * the mark above their epochs.
     */
    private void detachFrom(int first, long number) {
        int used = allocator.everUsed();
        int last = Math.min(used, first + DETACHED_AT_ONCE);
        for (int record = first; record < last; record++) {
            byte[] name = directory.names().get(record);
            if (name != null && !Directory.isDetached(name) && !current.isHome(name)) {
                raiseAbove(record);
                directory.detach(record);
            }
        }
        if (last < used) {
            node.timer().schedule(1, () -> detachFrom(last, number));
        } else {
            gaveUp(number);
        }
    }

    private void raiseAbove(int record) {
        long reached = node.region().read(node.layout().epoch(node.region().recordAddress(record)));
        if (node.isPlausible(reached)) {
            mark.raiseAbove(reached);
        }
    }

    private void gaveUp(long number) {
        List<LongConsumer> told;
        lock.lock();
        try {
            givenUp = number;
            told = List.copyOf(waiting.values());
            waiting.clear();
        } finally {
            lock.unlock();
        }
        log.info("Memory node {} has given up the names that belong to others by list {}", node.id(), number);
        long highest = mark.current();
        told.forEach(one -> Isolated.run("Telling that names are given up", () -> one.accept(highest)));
        whenGivenUp.run();
    }

    // ---------------------------------------------------------------- the target

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

    /** A compute node brings the word that a source has given its names up (rule M4). */
    @Override
    public void takeOver(GivenUp word, MemoryNodeSession.Answer<Long> answer) {
        NodeList list = current.list();
        if (word.number() > 0 && word.number() < list.number()) {
            // Before it had a later list, it had taken over all by that one.
            answer.done().accept(epochOf(word.source()));
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
                known = epochOf(word.source());
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
            keep(word, list, left);
        }
    }

    private long epochOf(String source) {
        lock.lock();
        try {
            return epochs.getOrDefault(source, 1L);
        } finally {
            lock.unlock();
        }
    }

    private void keep(GivenUp word, NodeList list, List<String> left) {
        store.keepNodes(new KeptNodes(list, left), new MemberList.Outcome() {
            @Override
            public void written() {
                open(word, list);
            }

            @Override
            public void failed(String why) {
                notOpened(word, refused(Reason.NOT_YET, "cannot keep the list of memory nodes: " + why));
            }
        });
    }

    private void notOpened(GivenUp word, FabricException.Refused why) {
        List<MemoryNodeSession.Answer<Long>> told;
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
            epochs.put(word.source(), written);
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
}
