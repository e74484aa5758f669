// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

/** The checkers of one run. */
final class Checkers {
    private final ExclusionChecker exclusion = new ExclusionChecker();
    private final TokenChecker tokens = new TokenChecker();
    private final LocalOrderChecker localOrder;
    private final LocalRunChecker localRuns;
    private final QueueChecker queue;
    private final ProgressChecker progress;

    Checkers(SimulatedWorld world, SimulationOptions options) {
        this.localOrder = new LocalOrderChecker(options.local());
        this.localRuns = new LocalRunChecker(options.local());
        this.queue = new QueueChecker(world);
        this.progress = new ProgressChecker(options);
    }

    LocalOrderChecker localOrder() {
        return localOrder;
    }

    QueueChecker queue() {
        return queue;
    }

    ProgressChecker progress() {
        return progress;
    }

    /** Looks at a compute node after an event. */
    void observe(SimulatedComputeNode node) {
        queue.observe(node);
        localRuns.observe(node);
    }

    /** A hold begins, or becomes exclusive. */
    void begins(HoldRecord hold) {
        exclusion.begins(hold);
        tokens.begins(hold);
    }

    /** A hold ends. */
    void ends(HoldRecord hold) {
        exclusion.ends(hold);
    }
}
