// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

/** Receives the events of a session that the memory node and peers send unasked. Called on threads of the fabric; must not block. */
public interface SessionListener {
    /** The membership changed; versions may arrive out of order. */
    void membershipChanged(Membership membership);

    /** A peer's message arrived, directly or relayed. */
    void peerMessage(PeerMessage message);

    /**
     * The memory node proposes to reclaim these idle records; answer with {@link ControlPlane#answerReclaim}. A record whose resolution
     * completed before this call must be vetoed or forgotten, whichever thread uses it then.
     */
    void reclaimProposed(long round, long[] records);

    /** The session is over: posts fail from now on, and every chain in flight has failed or will. Called once. */
    void lost(FabricException cause);
}
