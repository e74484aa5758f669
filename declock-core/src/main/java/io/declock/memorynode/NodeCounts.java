// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode;

import java.util.concurrent.atomic.LongAdder;

/** What a memory node counts. Thread-safe; values only grow. */
public final class NodeCounts {
    /** FAAs executed. */
    public final LongAdder fetchAndAdds = new LongAdder();
    /** CASes executed. */
    public final LongAdder compareAndSwaps = new LongAdder();
    /** READs executed. */
    public final LongAdder reads = new LongAdder();
    /** WRITEs executed. */
    public final LongAdder writes = new LongAdder();
    /** Peer messages passed on. */
    public final LongAdder relayed = new LongAdder();
    /** Frames that made no sense and closed their connection. */
    public final LongAdder badFrames = new LongAdder();
    /** Connections refused: wrong secret, other version, something else than DecLock. */
    public final LongAdder refusedConnections = new LongAdder();
    /** Connections closed because the other side did not read. */
    public final LongAdder slowReaders = new LongAdder();
    /** Records taken back. */
    public final LongAdder reclaimed = new LongAdder();
    /** Names refused because their session had created as many as it may. */
    public final LongAdder refusedNames = new LongAdder();

    NodeCounts() {}
}
