// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.layout;

/**
 * The word that says which compute node resets the lock in which epoch. An initiator takes it by CAS before it marks the header, from a
 * claim of an earlier epoch or from one whose compute node is no longer a member (rule B14 of docs/protocol.md).
 *
 * <pre>
 *  63         52 51               32 31                 0
 * +-------------+-------------------+--------------------+
 * |  node id 12 |  incarnation 20   |   full epoch 32    |
 * +-------------+-------------------+--------------------+
 * </pre>
 *
 * <p>The paper (section 4.4) has the initiator's node id in the header, which leaves room for 255 compute nodes. With the incarnation beside
 * it, a claim names one session: a compute node that gets a dead initiator's id is not taken for it.
 */
public final class ResetClaim {
    /** Nobody's claim, older than every epoch. */
    public static final long NONE = 0;

    private static final int EPOCH_BITS = 32;
    private static final int INCARNATION_BITS = 20;
    private static final int NODE_SHIFT = EPOCH_BITS + INCARNATION_BITS;
    private static final long EPOCH_MASK = (1L << EPOCH_BITS) - 1;
    private static final int INCARNATION_MASK = (1 << INCARNATION_BITS) - 1;

    private ResetClaim() {}

    /** Packs a claim; incarnation and epoch are cut to their low bits. */
    public static long pack(int nodeId, int incarnation, long epoch) {
        return (long) nodeId << NODE_SHIFT | (long) (incarnation & INCARNATION_MASK) << EPOCH_BITS | epoch & EPOCH_MASK;
    }

    /** Returns the node id of the claimant, 0 for none. */
    public static int nodeId(long claim) {
        return (int) (claim >>> NODE_SHIFT);
    }

    /** Returns the full epoch that the claimant is about to end. */
    public static long epoch(long claim) {
        return claim & EPOCH_MASK;
    }

    /** Returns whether the claim is of that session of that compute node. */
    public static boolean isOf(long claim, int nodeId, int incarnation) {
        return nodeId(claim) == nodeId
                && (int) (claim >>> EPOCH_BITS & INCARNATION_MASK) == (incarnation & INCARNATION_MASK);
    }

    /** Shows every field. */
    public static String toString(long claim) {
        return claim == NONE
                ? "no claim"
                : "claim of " + nodeId(claim) + "." + (claim >>> EPOCH_BITS & INCARNATION_MASK) + " in epoch "
                        + epoch(claim);
    }
}
