// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.CqlSettings;
import io.declock.internal.layout.RecordLayout;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.time.Clock;
import io.declock.internal.time.RandomSource;
import io.declock.internal.time.TimerService;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import java.util.List;
import java.util.stream.IntStream;

/** A node for locks under test: it is node 1 of some members, time stands still, nothing is ever due, and its session never ends. */
public abstract class StillNode implements CqlEnvironment {
    protected static final int NODE = 1;
    protected static final int INCARNATION = 7;

    private final RecordLayout layout;
    private final List<Member> members;
    private final NodeCounters counters = new NodeCounters();

    /**
     * Makes one.
     *
     * @param capacity of each record's queue
     * @param members number of compute nodes
     */
    protected StillNode(int capacity, int members) {
        this.layout = new RecordLayout(capacity);
        this.members = IntStream.rangeClosed(NODE, members)
                .mapToObj(id -> new Member(id, INCARNATION, "address" + id, "node" + id))
                .toList();
    }

    @Override
    public long memoryNode() {
        return 99;
    }

    @Override
    public int nodeId() {
        return NODE;
    }

    @Override
    public int incarnation() {
        return INCARNATION;
    }

    @Override
    public RecordLayout layout() {
        return layout;
    }

    @Override
    public CqlSettings settings() {
        return CqlSettings.DEFAULTS;
    }

    @Override
    public NodeCounters counters() {
        return counters;
    }

    @Override
    public Clock clock() {
        return () -> 1;
    }

    @Override
    public TimerService timer() {
        return (delay, task) -> {};
    }

    @Override
    public RandomSource random() {
        return () -> 0;
    }

    @Override
    public boolean leaseValid(long now) {
        return true;
    }

    @Override
    public Membership membership() {
        return new Membership(1, members);
    }

    @Override
    public int timestamp(long now) {
        return 0;
    }
}
