// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

/**
 * The versions of the protocol that one side speaks: every one from the oldest to the newest. Both sides tell theirs in their preambles, and both
 * go on with the newest that they have in common, so that services and memory nodes are updated one after the other.
 *
 * @param newest the newest version
 * @param oldest the oldest version
 */
public record Versions(int newest, int oldest) {
    /** The versions that this release speaks. */
    public static final Versions OURS = new Versions(Wire.VERSION, Wire.OLDEST_VERSION);

    /** Result of {@link #inCommonWith} if there is none. */
    public static final int NONE = 0;

    /** Returns the newest version that both sides speak, or {@link #NONE}. */
    public int inCommonWith(Versions other) {
        int common = Math.min(newest, other.newest);
        return common >= Math.max(oldest, other.oldest) ? common : NONE;
    }

    @Override
    public String toString() {
        return newest == oldest ? "version " + newest : "versions " + oldest + " to " + newest;
    }
}
