// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.simulation.AdapterModel.Processor;
import io.declock.spi.VerbChain;

/** A core of a compute node's processor: what the clients that share it have it do, it does one after the other, in the order in which it was asked. */
final class SimulatedCore {
    private final Processor times;
    private long free;

    SimulatedCore(Processor times) {
        this.times = times;
    }

    /** Makes one that takes no time. */
    static SimulatedCore infinitelyFast() {
        return new SimulatedCore(Processor.INFINITELY_FAST);
    }

    /** Returns when it has posted a chain that it gets now. */
    long posted(VerbChain chain, long now) {
        return end(now, times.postNanos() * chain.size());
    }

    /** Returns when it has taken the completion of a chain that its adapter has at an instant. */
    long completed(long instant) {
        return end(instant, times.completionNanos());
    }

    /** Returns when it has sent a message that it gets now. */
    long sent(long now) {
        return end(now, times.sendNanos());
    }

    /** Returns when it has received a message that its adapter has at an instant. */
    long received(long instant) {
        return end(instant, times.receiveNanos());
    }

    /** Returns when it has done what DecLock's local lock needs of it for an acquisition or a release. */
    long localLock(long now) {
        return end(now, times.localLockNanos());
    }

    /** What takes no time waits for nothing, so that a processor without times changes nothing. */
    private long end(long comes, long takes) {
        if (takes == 0) {
            return comes;
        }
        free = Math.max(comes, free) + takes;
        return free;
    }
}
