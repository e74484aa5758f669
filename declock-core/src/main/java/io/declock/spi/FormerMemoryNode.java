// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

/**
 * The memory node of a compute node's last session, which the compute node reports when it joins again. If the reported incarnation is
 * another than its own, the memory node asks at the reported address whether that memory node still lives (rule C7 of docs/protocol.md).
 *
 * @param incarnation incarnation of the memory node, 0 for none
 * @param address that memory node's own {@code address:port}, as it saw it itself; empty if unknown
 */
public record FormerMemoryNode(long incarnation, String address) {
    /** There was no earlier session, or none with a memory node that can be asked. */
    public static final FormerMemoryNode NONE = new FormerMemoryNode(0, "");

    /** {@return whether there is no memory node to ask} */
    public boolean isNone() {
        return incarnation == 0 || address.isEmpty();
    }
}
