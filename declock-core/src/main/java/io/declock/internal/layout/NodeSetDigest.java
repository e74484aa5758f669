// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.layout;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** A digest of the set of memory nodes that are used together: one number that compute nodes and memory nodes compare. Stateless. */
public final class NodeSetDigest {
    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private NodeSetDigest() {}

    /** Returns a digest of a set of stable ids that does not depend on their order; never 0. */
    public static long of(List<String> ids) {
        long sum = 0;
        for (String id : ids) {
            sum += mix(hash(id));
        }
        return mix(sum + ids.size()) | 1;
    }

    /** Returns a 64-bit hash of the text's UTF-8 bytes. */
    public static long hash(String text) {
        long hash = FNV_OFFSET;
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (b & 0xff)) * FNV_PRIME;
        }
        return mix(hash);
    }

    /** Returns a number whose every bit depends on every bit of the given one. */
    public static long mix(long z) {
        long a = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        long b = (a ^ a >>> 27) * 0x94d049bb133111ebL;
        return b ^ b >>> 31;
    }
}
