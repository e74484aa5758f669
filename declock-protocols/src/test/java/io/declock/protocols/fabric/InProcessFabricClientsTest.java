// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import io.declock.internal.inprocess.InProcessRig;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.soul.Soul;
import io.declock.spi.FabricRig;
import io.declock.spi.ManualTime;

/** The locks of the literature on a memory node in the same process. A message waits on a thread until what the thread is at is done, so those that other threads send meanwhile overtake it. */
class InProcessFabricClientsTest extends FabricClientsContract {
    /** Soul goes wrong in nearly each run of 3,000 rounds where messages overtake each other, and seldom in few; these take seconds on a busy machine. */
    @Override
    protected int rounds(LockProtocol protocol) {
        return protocol instanceof Soul ? 1_000 : super.rounds(protocol);
    }

    @Override
    protected FabricRig start() {
        return new InProcessRig(LoopbackRig.settings(), new ManualTime());
    }
}
