// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.spi.NodeSet;

/**
 * Rendezvous hashing: each name goes to the memory node with the highest hash of (node id, name), so that removing one memory node moves
 * only its names. Uses the memory nodes' stable ids, never their addresses.
 */
final class Rendezvous {
    private Rendezvous() {}

    /** Returns the index in {@code idHashes} of the node a name belongs to. */
    static int choose(long[] idHashes, String fullName) {
        if (idHashes.length == 1) {
            return 0;
        }
        long name = NodeSet.hash(fullName);
        int best = 0;
        long bestScore = NodeSet.mix(idHashes[0] ^ name);
        for (int i = 1; i < idHashes.length; i++) {
            long score = NodeSet.mix(idHashes[i] ^ name);
            if (Long.compareUnsigned(score, bestScore) > 0) {
                best = i;
                bestScore = score;
            }
        }
        return best;
    }
}
