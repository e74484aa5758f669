// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.spi.Member;
import io.declock.spi.PeerMessage;
import io.declock.spi.VerbChain;

/** Told what compute nodes do with their sessions, when they do it; what becomes of it on the way is another matter. */
interface SessionObserver {
    /** Told about nothing. */
    SessionObserver NONE = new SessionObserver() {};

    /** A chain is posted. */
    default void posts(SimulatedSession session, VerbChain chain) {}

    /** A chain is about to be completed; its owner may use it again before {@link #answered}. */
    default void answers(SimulatedSession session, PostedChain executed) {}

    /** The chain was completed, and whatever its owner does about it was done. */
    default void answered(SimulatedSession session) {}

    /** A message to another compute node is sent. */
    default void sends(SimulatedSession session, Member to, PeerMessage message) {}
}
