// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

/**
 * The memory node that a compute node had its last session with, as it says when it joins again. One that meets another incarnation asks
 * there whether the former one still lives (rule C7 of docs/protocol.md).
 *
 * @param incarnation incarnation of the memory node, 0 for none
 * @param address its own {@code address:port}, as it saw it itself; empty if it is not known
 */
public record FormerMemoryNode(long incarnation, String address) {
    /** There was no session, or none with a memory node that anybody could ask. */
    public static final FormerMemoryNode NONE = new FormerMemoryNode(0, "");

    /** Returns whether nobody can be asked. */
    public boolean isNone() {
        return incarnation == 0 || address.isEmpty();
    }
}
