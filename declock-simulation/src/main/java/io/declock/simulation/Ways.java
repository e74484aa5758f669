// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

/**
 * How long verbs and messages travel, without what adapters add.
 *
 * @param verb shortest time of a verb to the memory node, and of its result back, in nanoseconds
 * @param message shortest time of a message
 * @param jitter mean of what is added to each
 * @param atomicLatency by how much the result of a chain with an atomic is late
 */
record Ways(long verb, long message, long jitter, long atomicLatency) {
    static Ways of(AdapterModel model) {
        return new Ways(model.verbOneWay(), model.messageOneWay(), model.jitter(), model.atomicLatency());
    }

    /** Returns them without the way to the memory node. */
    Ways atMemoryNode() {
        return new Ways(0, message, jitter, atomicLatency);
    }

    long verbTime(SimulatedWorld world) {
        return verb + world.exponential(jitter);
    }

    long messageTime(SimulatedWorld world) {
        return message + world.exponential(jitter);
    }
}
