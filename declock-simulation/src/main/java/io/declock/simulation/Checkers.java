// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.internal.layout.RecordLayout;
import io.declock.spi.Member;
import io.declock.spi.PeerMessage;
import io.declock.spi.VerbChain;

/** The checkers of one run. */
final class Checkers implements SessionObserver {
    private final ExclusionChecker exclusion = new ExclusionChecker();
    private final TokenChecker tokens = new TokenChecker();
    private final LocalOrderChecker localOrder;
    private final OvertakingChecker overtaking;
    private final QueueChecker queue;
    private final ProgressChecker progress;
    private final FenceChecker fences = new FenceChecker();
    private final GrantChecker grants;
    private final EntryChecker entries;
    private final LastingChecker lasting;
    private final ValueChecker values = new ValueChecker();

    Checkers(SimulatedWorld world, SimulationOptions options) {
        this.localOrder = new LocalOrderChecker(options.local());
        this.overtaking = new OvertakingChecker(world, options);
        this.queue = new QueueChecker(world, options.cluster().capacity());
        this.progress = new ProgressChecker(options);
        this.grants = new GrantChecker(queue);
        this.lasting = new LastingChecker(world);
        this.entries =
                new EntryChecker(queue, new RecordLayout(options.cluster().capacity()));
    }

    LocalOrderChecker localOrder() {
        return localOrder;
    }

    OvertakingChecker overtaking() {
        return overtaking;
    }

    QueueChecker queue() {
        return queue;
    }

    LastingChecker lasting() {
        return lasting;
    }

    ValueChecker values() {
        return values;
    }

    ProgressChecker progress() {
        return progress;
    }

    /** Checks a compute node after an event. */
    void observe(SimulatedComputeNode node) {
        queue.observe(node);
        overtaking.observe(node);
    }

    /** A hold begins, or becomes exclusive. */
    void begins(HoldRecord hold) {
        exclusion.begins(hold);
        lasting.begins(hold, hold.hold());
        if (!hold.isUnknowinglyLapsed()) {
            tokens.begins(hold);
        }
        fences.uses(hold);
    }

    /** The owner of a hold uses what the lock protects. */
    void uses(HoldRecord hold) {
        fences.uses(hold);
    }

    /** A hold ends. */
    void ends(HoldRecord hold) {
        fences.uses(hold);
        exclusion.ends(hold);
    }

    // ---------------------------------------------------------------- sessions

    @Override
    public void posts(SimulatedSession session, VerbChain chain) {
        entries.posts(session, chain);
    }

    @Override
    public void answers(SimulatedSession session, PostedChain executed) {
        grants.answers(session, executed);
        entries.answers(session, executed);
    }

    @Override
    public void answered(SimulatedSession session) {
        grants.answered(session);
        entries.answered(session);
    }

    @Override
    public void sends(SimulatedSession session, Member to, PeerMessage message) {
        grants.sends(session, to, message);
    }
}
