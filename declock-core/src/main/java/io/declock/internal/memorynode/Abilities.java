// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

/**
 * What a compute node can do that earlier releases cannot.
 *
 * @param knowsLists it knows lists of memory nodes that replace one another
 * @param asksForKept it asks for locks that other compute nodes keep (rule K2)
 */
public record Abilities(boolean knowsLists, boolean asksForKept) {
    /** Those of the present release. */
    public static final Abilities ALL = new Abilities(true, true);
}
