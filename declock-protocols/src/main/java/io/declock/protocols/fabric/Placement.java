// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

/** Where a memory node's region has the words that a client addresses. */
interface Placement {
    /** The client's addresses are those of the region. */
    Placement AS_IS = new Placement() {
        @Override
        public long inRegion(long address) {
            return address;
        }

        @Override
        public int together(long address) {
            return Integer.MAX_VALUE;
        }
    };

    /** Returns where a word is in the region, in bytes. */
    long inRegion(long address);

    /** Returns how many words lie side by side in the region from there on. */
    int together(long address);
}
