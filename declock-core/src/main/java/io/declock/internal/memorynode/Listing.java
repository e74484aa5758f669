// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.internal.memorynode.MemberList.ListedMember;
import io.declock.internal.monitor.Loop;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the {@link MemberList} up to date: who is a member, and a mark that lies above every epoch of this life, in steps (rule H1).
 * Thread-safe.
 */
final class Listing extends Loop {
    /** How far the mark that is written lies above the epochs. Each start of the memory node may use up one step. */
    static final long STEP = 64;

    private static final long INTERVAL_NANOS = 16_000_000_000L;
    private static final Logger log = LoggerFactory.getLogger(Listing.class);

    private final NodeBasics node;
    private final HighWaterMark mark;
    private final MemberList list;
    private volatile long written;
    private volatile String problem = "";

    Listing(NodeBasics node, HighWaterMark mark, MemberList list) {
        super("the mark keeper of memory node " + node.id(), node.clock(), node.timer(), INTERVAL_NANOS);
        this.node = node;
        this.mark = mark;
        this.list = list;
    }

    /** Begins this life in the list. */
    void begin() {
        list.begin(node.incarnation());
        if (list != MemberList.NONE) {
            raiseMark();
            wake();
        }
    }

    /** Returns why members cannot be written down, or an empty text. */
    String problem() {
        return problem;
    }

    @Override
    protected void step(long lateNanos) {
        raiseMark();
    }

    @Override
    protected boolean isNeeded() {
        return !node.isClosed() && list != MemberList.NONE;
    }

    private void raiseMark() {
        long least = Math.max(mark.current(), node.settings().secondsSince2025().getAsLong());
        if (least + STEP / 2 > written) {
            long raised = Math.min(least + STEP, HighWaterMark.MAX - 1);
            list.raiseMark(raised, new Written(() -> written = Math.max(written, raised)));
        }
    }

    /** Writes that a session is a member, after a mark above the epochs that its compute node has seen. */
    void add(MemoryNodeSession session) {
        if (list != MemberList.NONE) {
            raiseMark();
        }
        list.add(
                new ListedMember(
                        session.member().nodeId(),
                        session.member().incarnation(),
                        session.processId(),
                        session.attempt(),
                        session.leaseNanos()),
                new MemberList.Outcome() {
                    @Override
                    public void written() {
                        isWritten();
                        session.entry().written();
                    }

                    @Override
                    public void failed(String why) {
                        isNotWritten(why);
                        session.leave(() -> {});
                        session.entry().failed(refusal(why));
                    }
                });
    }

    private FabricException.Refused refusal(String why) {
        return new FabricException.Refused(
                Reason.NOT_YET,
                "memory node " + node.id()
                        + " cannot let this process join now, because it cannot write it down as a member: " + why
                        + ". This process joins as soon as that works again: look after what keeps the members of memory"
                        + " node " + node.id() + ", the engine that elects its candidates or its state directory");
    }

    /** Writes that a session is no member any more. */
    void remove(MemoryNodeSession session) {
        list.remove(session.member().nodeId(), session.member().incarnation());
    }

    /** Writes whether the list names every compute node that may have a lease. */
    void complete(boolean complete) {
        list.complete(complete, new Written(() -> {}));
    }

    private void isWritten() {
        if (!problem.isEmpty()) {
            problem = "";
            log.info("Memory node {} can write its members down again", node.id());
        }
    }

    private void isNotWritten(String why) {
        if (problem.isEmpty()) {
            log.error("Memory node {}: {}", node.id(), why);
        }
        problem = why;
    }

    private final class Written implements MemberList.Outcome {
        private final Runnable then;

        Written(Runnable then) {
            this.then = then;
        }

        @Override
        public void written() {
            isWritten();
            then.run();
        }

        @Override
        public void failed(String why) {
            isNotWritten(why);
        }
    }
}
