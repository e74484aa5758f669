// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.internal.memorynode.KeptNodes;
import io.declock.internal.memorynode.MemberList;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The list of a memory node's members on its disk. A write takes time, may fail, and is durable before its outcome is told. What was not
 * durable when the memory node dies is on the disk up to some point.
 */
final class SimulatedMemberList implements MemberList {
    /** What survives the memory node. */
    static final class Disk {
        private boolean complete;
        private long mark;
        private int highestIncarnation;
        private final Map<List<Integer>, ListedMember> members = new LinkedHashMap<>();
        private final Set<Long> lives = new HashSet<>();
        private KeptNodes nodes = KeptNodes.NONE;
    }

    /** A write under way. */
    private record Write(Consumer<Disk> change, Outcome outcome) {}

    private static final Outcome NOBODY = new Outcome() {
        @Override
        public void written() {}

        @Override
        public void failed(String why) {}
    };

    private final SimulatedCluster cluster;
    private final SimulatedWorld world;
    private final Disk disk;
    private final Former former;
    private final long forceTime;
    private final Deque<Write> underWay = new ArrayDeque<>();
    private SimulatedWorld.@Nullable Place place;
    private boolean forcing;
    private boolean isOver;

    SimulatedMemberList(SimulatedCluster cluster, Disk disk) {
        this.cluster = cluster;
        this.world = cluster.world();
        this.disk = disk;
        this.former = new Former(
                disk.complete,
                List.copyOf(disk.members.values()),
                disk.mark,
                disk.highestIncarnation,
                disk.lives,
                disk.nodes);
        this.forceTime = Math.min(
                world.oneOf(1, 10, 100) * cluster.options().network().oneWay(),
                cluster.options().cluster().lease() / 20);
    }

    /** Sets where the memory node lives that writes to it. */
    void isAt(SimulatedWorld.Place at) {
        place = at;
    }

    @Override
    public Former former() {
        return former;
    }

    @Override
    public void begin(long memoryNodeIncarnation) {
        disk.lives.add(memoryNodeIncarnation);
    }

    @Override
    public void add(ListedMember member, Outcome outcome) {
        write(
                to -> {
                    to.members.put(List.of(member.nodeId(), member.incarnation()), member);
                    to.highestIncarnation = Math.max(to.highestIncarnation, member.incarnation());
                },
                outcome);
    }

    @Override
    public void remove(int nodeId, int incarnation) {
        write(to -> to.members.remove(List.of(nodeId, incarnation)), NOBODY);
    }

    @Override
    public void raiseMark(long epoch, Outcome outcome) {
        write(to -> to.mark = Math.max(to.mark, epoch), outcome);
    }

    @Override
    public void complete(boolean complete, Outcome outcome) {
        write(to -> to.complete = complete, outcome);
    }

    @Override
    public void keepNodes(KeptNodes nodes, Outcome outcome) {
        write(to -> to.nodes = nodes, outcome);
    }

    private void write(Consumer<Disk> change, Outcome outcome) {
        underWay.add(new Write(change, outcome));
        if (!forcing) {
            force();
        }
    }

    private void force() {
        forcing = true;
        int batch = underWay.size();
        boolean fails =
                world.chance(0.02) && world.now() < cluster.options().faults().until();
        world.after(1 + world.below(2 * forceTime), place, () -> forced(batch, fails));
    }

    private void forced(int batch, boolean fails) {
        List<Write> written = new ArrayList<>();
        for (int i = 0; i < batch; i++) {
            written.add(underWay.remove());
        }
        if (!fails) {
            written.forEach(write -> write.change.accept(disk));
        }
        forcing = false;
        if (!underWay.isEmpty()) {
            force();
        }
        for (Write write : written) {
            if (fails) {
                write.outcome.failed("no space left on the disk");
            } else {
                write.outcome.written();
            }
        }
    }

    /** The memory node dies: of what is not durable, some is on the disk. */
    void dies() {
        if (isOver) {
            return;
        }
        isOver = true;
        long most = world.below(underWay.size() + 1L);
        for (int i = 0; i < most; i++) {
            underWay.remove().change.accept(disk);
        }
        underWay.clear();
    }

    @Override
    public void close() {
        dies();
    }
}
