// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.node;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Rendezvous hashing: each name goes to the memory node with the highest hash of (node id, name), so that taking one node away
 * moves only its names. Over the nodes' stable ids, never their addresses.
 */
final class Rendezvous {
    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private Rendezvous() {}

    /** Returns the index in {@code idHashes} of the node a name belongs to. */
    static int choose(long[] idHashes, String fullName) {
        if (idHashes.length == 1) {
            return 0;
        }
        long name = hash(fullName);
        int best = 0;
        long bestScore = mix(idHashes[0] ^ name);
        for (int i = 1; i < idHashes.length; i++) {
            long score = mix(idHashes[i] ^ name);
            if (Long.compareUnsigned(score, bestScore) > 0) {
                best = i;
                bestScore = score;
            }
        }
        return best;
    }

    /** Returns a 64-bit hash of the text's UTF-8 bytes. */
    static long hash(String text) {
        long hash = FNV_OFFSET;
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (b & 0xff)) * FNV_PRIME;
        }
        return mix(hash);
    }

    /** Returns a digest of a set of ids that does not depend on their order; never 0. */
    static long digest(List<String> ids) {
        long sum = 0;
        for (String id : ids) {
            sum += mix(hash(id));
        }
        return mix(sum + ids.size()) | 1;
    }

    private static long mix(long z) {
        long a = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        long b = (a ^ a >>> 27) * 0x94d049bb133111ebL;
        return b ^ b >>> 31;
    }
}
