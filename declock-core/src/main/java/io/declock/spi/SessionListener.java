// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

/** What a memory node and peers tell a session unasked. Called on threads of the fabric; must not block. */
public interface SessionListener {
    /** The membership changed; versions may arrive out of order. */
    void membershipChanged(Membership membership);

    /** A peer's message, direct or relayed. */
    void peerMessage(PeerMessage message);

    /**
     * The memory node would like these idle records back; answer with {@link ControlPlane#answerReclaim}. A record whose
     * resolution completed before this is called, on whatever thread it is then used, must be vetoed or forgotten.
     */
    void reclaimProposed(long round, long[] records);

    /** The session is over: posts fail from now on, and every chain in flight has failed or will. Called once. */
    void lost(FabricException cause);
}
