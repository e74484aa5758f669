// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;

/**
 * The memory nodes that are used together, as hashes of their stable ids. Every compute node must use the same set, because names map to
 * memory nodes by it (rule C11 of docs/protocol.md). Immutable.
 */
public final class NodeSet {
    /** The most memory nodes of a set. */
    public static final int MAX_SIZE = 255;

    /** The set of a compute node or memory node that does not know it yet. */
    public static final NodeSet NONE = new NodeSet(new long[0]);

    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private final long[] hashes;

    private NodeSet(long[] sorted) {
        this.hashes = sorted;
    }

    /**
     * {@return the set of memory nodes with these ids; an id that occurs twice counts once}
     *
     * @param ids stable ids of memory nodes
     * @throws IllegalArgumentException if there are more than {@link #MAX_SIZE}
     */
    public static NodeSet of(Collection<String> ids) {
        return ofHashes(ids.stream().mapToLong(NodeSet::hash).toArray());
    }

    /**
     * {@return the set of memory nodes whose ids have these hashes; a hash that occurs twice counts once}
     *
     * @param hashes hashes of stable ids, as of {@link #hash}
     * @throws IllegalArgumentException if there are more than {@link #MAX_SIZE}
     */
    public static NodeSet ofHashes(long[] hashes) {
        long[] sorted = Arrays.stream(hashes).sorted().distinct().toArray();
        if (sorted.length > MAX_SIZE) {
            throw new IllegalArgumentException(
                    "there are " + sorted.length + " memory nodes, at most " + MAX_SIZE + " can be used together");
        }
        return sorted.length == 0 ? NONE : new NodeSet(sorted);
    }

    /** {@return whether the set is not known} */
    public boolean isNone() {
        return hashes.length == 0;
    }

    /** {@return the number of memory nodes} */
    public int size() {
        return hashes.length;
    }

    /**
     * {@return whether a memory node belongs to the set}
     *
     * @param id its stable id
     */
    public boolean contains(String id) {
        return Arrays.binarySearch(hashes, hash(id)) >= 0;
    }

    /**
     * {@return the hash of the id of the memory node that a name belongs to} By rendezvous hashing: the one with the highest hash of its id
     * and the name, so that adding or removing one memory node moves only the names that it gets or had. The set must not be {@link #NONE}.
     *
     * @param nameHash hash of the name with its namespace, as of {@link #hash(byte[])}
     */
    public long homeOf(long nameHash) {
        long best = hashes[0];
        long bestScore = mix(best ^ nameHash);
        for (int i = 1; i < hashes.length; i++) {
            long score = mix(hashes[i] ^ nameHash);
            if (Long.compareUnsigned(score, bestScore) > 0) {
                best = hashes[i];
                bestScore = score;
            }
        }
        return best;
    }

    /** {@return a copy of the hashes of the ids, in ascending order} */
    public long[] hashes() {
        return hashes.clone();
    }

    /**
     * {@return a 64-bit hash of the text's UTF-8 bytes}
     *
     * @param text a stable id or a name
     */
    public static long hash(String text) {
        return hash(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * {@return a 64-bit hash of a text}
     *
     * @param text a stable id or a name in UTF-8
     */
    public static long hash(byte[] text) {
        long hash = FNV_OFFSET;
        for (byte b : text) {
            hash = (hash ^ (b & 0xff)) * FNV_PRIME;
        }
        return mix(hash);
    }

    /**
     * {@return a number whose every bit depends on every bit of the given one}
     *
     * @param number any number
     */
    public static long mix(long number) {
        long a = (number ^ number >>> 30) * 0xbf58476d1ce4e5b9L;
        long b = (a ^ a >>> 27) * 0x94d049bb133111ebL;
        return b ^ b >>> 31;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NodeSet set && Arrays.equals(hashes, set.hashes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(hashes);
    }

    @Override
    public String toString() {
        return isNone() ? "unknown memory nodes" : size() + " memory nodes";
    }
}
