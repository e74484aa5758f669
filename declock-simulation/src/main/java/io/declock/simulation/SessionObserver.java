// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.spi.Member;
import io.declock.spi.PeerMessage;
import io.declock.spi.VerbChain;

/** Observes what compute nodes do with their sessions, at the moment they do it, regardless of what happens on the network. */
interface SessionObserver {
    /** Observes nothing. */
    SessionObserver NONE = new SessionObserver() {};

    /** A chain is posted. */
    default void posts(SimulatedSession session, VerbChain chain) {}

    /** A chain is about to be completed; its owner may use it again before {@link #answered}. */
    default void answers(SimulatedSession session, PostedChain executed) {}

    /** The chain was completed, and its owner has handled the completion. */
    default void answered(SimulatedSession session) {}

    /** The session has ended: no chain is answered any more. */
    default void ended(SimulatedSession session) {}

    /** A message to another compute node is sent. */
    default void sends(SimulatedSession session, Member to, PeerMessage message) {}
}
