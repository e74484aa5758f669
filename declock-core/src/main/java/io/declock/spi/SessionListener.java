// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

/** Receives the events of a session that the memory node and peers send unasked. Called on threads of the fabric; must not block. */
public interface SessionListener {
    /**
     * The membership changed; versions may arrive out of order.
     *
     * @param membership the new membership
     */
    void membershipChanged(Membership membership);

    /**
     * A peer's message arrived, directly or relayed.
     *
     * @param message the message
     */
    void peerMessage(PeerMessage message);

    /**
     * The memory node proposes to reclaim these idle records; answer with {@link ControlPlane#answerReclaim}. A record whose resolution
     * completed before this call must be vetoed or forgotten, whichever thread uses it then.
     *
     * @param round the proposal's round
     * @param records addresses of the records
     */
    void reclaimProposed(long round, long[] records);

    /**
     * The memory node has another list of memory nodes than it told before.
     *
     * @param list the list
     */
    default void nodesChanged(NodeList list) {}

    /**
     * An operator of the memory node asks who holds a lock, or ends its holds; answer with {@link ControlPlane#answerInquiry}. A compute node
     * that does not answer has no holds to tell of.
     *
     * @param inquiry what the operator asks
     */
    default void inquired(LockInquiry inquiry) {}

    /**
     * The session is over: posts fail from now on, and every chain in flight has failed or will. Called once.
     *
     * @param cause why it is over
     */
    void lost(FabricException cause);

    /**
     * The session has no connection any more and cannot be resumed, but the memory node did not say that it is over: the memory node may
     * have started anew, and its next life may restore what this session holds (rules H3 and H4 of docs/protocol.md). Otherwise as {@link
     * #lost}, in place of which it is called.
     *
     * @param cause why it cannot go on
     */
    default void brokenOff(FabricException cause) {
        lost(cause);
    }
}
