// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The generalised cache coherence of <i>Soul: Generalized Cache Coherence For Efficient Synchronization</i> (Yu, Lee, Khandelwal, Zhong), sections 3.1, 3.3
 * and 4.2, algorithm 1: a reader-writer lock that is a line of a directory-based MSI protocol. A line is a lock with the regions of memory that it guards. A client has it
 * for no use, shared (to read), or modified (to write), and acquires lock and data in one transaction. A directory beside the memory node knows the sharers of a line, and
 * who has its queue; the queue is at the writer, or at the next writer while readers have the line.
 *
 * <ol>
 *   <li>A client that has kept the line, shared for a reader or modified for anybody, has the lock at once. Nobody is told.
 *   <li>Otherwise it sends a request to the directory.
 *   <li>If a client has the queue, the directory forwards the request to it, and counts it. That client appends it to the queue and counts it, too.
 *   <li>If nobody has the queue, no writer has the line or waits for it. The directory reads the guarded words from memory. A reader becomes a sharer, and gets words and lock.
 *   <li>A writer gets the queue, empty. If there are no other sharers, it gets the lock as well. Otherwise each sharer is told to give the line up, and which writer to
 *       tell: at once if it only keeps the line, and after its release if it holds the lock. When all have done so, the writer has the lock, and tells the directory.
 *   <li>A writer that releases with an empty queue keeps the line. So does a reader that was told of no writer.
 *   <li>A writer that releases with a queue, or that only keeps the line when a request comes, sends queue, guarded words and its count of requests to the directory.
 *   <li>If that count is not the directory's, a request is on the way. The directory denies the transfer. The client has received that request when it learns of this, and
 *       tries again.
 *   <li>Otherwise the directory passes words and lock on: to the first in the queue with the queue behind it, if it is a writer.
 *   <li>If readers are the first, the directory writes the words to memory and gives lock and words to all before the next writer. The next writer gets the queue behind it, and the
 *       words, and the lock as in step 5. Without a next writer there is no queue any more.
 * </ol>
 *
 * <p>What the paper leaves open:
 * <ul>
 *   <li>Line 6 of algorithm 1 drops an empty queue, which ends at "no queue holder", while the line stays modified at the writer (section 3.3). Here an empty queue is no queue, but
 *       the directory goes on to forward requests to a writer that keeps the line. It would have to send it an invalidation otherwise, with the same effect.
 *   <li>Line 15 drops a queue in which only readers were. It needs the directory's approval as a transfer does, or a request that is on the way would be lost (seen).
 *   <li>The writer that has waited for readers enters at once when it tells the directory: requests are forwarded to it before and after that.
 *   <li>The order in the queue is a matter of policy in the paper. Here it is the order in which requests reach the directory.
 * </ul>
 *
 * <p>Where this differs from the paper's implementation:
 * <ul>
 *   <li>The directory is an automaton with messages of its own; there it is a switch that all messages pass anyway, so that an approved transfer has no detour. Its READs and WRITEs are verbs
 *       at the memory node, one for each region.
 *   <li>Memory is written when readers follow a writer. From writer to writer the words travel with the lock.
 *   <li>The client is the compute blade. The lock that orders the threads of one blade (section 4.2.2) is left out, and so are other lines than locks.
 *   <li>Nothing is evicted from a cache.
 * </ul>
 *
 * <p>The paper does not say what happens when a blade or the switch dies, and nothing here mends that: words that only a dead client has are lost.
 */
@NullMarked
package io.declock.protocols.soul;

import org.jspecify.annotations.NullMarked;
