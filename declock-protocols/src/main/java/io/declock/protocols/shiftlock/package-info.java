// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/**
 * ShiftLock, of <i>ShiftLock: Mitigate One-sided RDMA Lock Contention via Handover</i> (FAST 2025), sections 3.3 to 3.6: a queue of writers as in MCS, readers that count
 * themselves beside it, and extended atomics, which change one field of a word and leave the others. Two words have {@code Epoch}, {@code RdrCnt} (readers that hold the
 * lock or wait), {@code TailPtr} (the last writer in the queue) and {@code RelCnt} (releases so far).
 *
 * <ol>
 *   <li>A reader adds one to {@code RdrCnt}. It has the lock if there was no last writer. Otherwise it reads the entry until {@code Epoch} is another one
 *       (algorithm 2).
 *   <li>A writer puts itself in place of the last one. If there was one, the writer tells it that it follows, and waits for a message. If there was none, the writer
 *       waits until {@code RelCnt} has grown by the number of readers that it found.
 *   <li>A reader's release takes one from {@code RdrCnt} and adds one to {@code RelCnt}, at once (algorithm 3).
 *   <li>A writer that knows no successor removes itself, adds one to {@code RelCnt} and changes {@code Epoch}, all in one masked compare-and-swap, which
 *       fails if there is a successor. Readers that wait have the lock then.
 *   <li>A writer with a successor adds one to {@code RelCnt}, and then passes the lock on with a message ({@code Handover}).
 *   <li>After so many writers in a row it changes {@code Epoch} as well. Its message ({@code ModeChanged}) then names the {@code RelCnt} at which all readers that
 *       were let in have left, and the successor waits for that.
 *   <li>A client whose lease is over does not release. One whose successor does not show up within a lease leaves the lock as it is (section 3.6).
 *   <li>A client that waits looks at {@code RelCnt} twice in a lease. If it stands still for three leases of one era, the client asks the lock server to recover the
 *       lock. The server does so once in each era: it sets all fields to zero, adds 2<sup>63</sup> to {@code RelCnt}, and begins another era. It may have several eras side by side, each for a part of the locks.
 *   <li>Clients that wait see that leap, and begin anew. A client whose request was rejected, because it named a former era, looks again after a lease.
 * </ol>
 *
 * <p>Where this differs from what is printed:
 * <ul>
 *   <li>Messages that pass the lock on carry {@code Epoch}. As printed, a writer remembers the one that it found when it came, and changes it once if it is told
 *       {@code ModeChanged} itself; but other writers before it may have changed it. Its release then sets {@code Epoch} to what it is already, and readers wait for ever.
 *   <li>The number of writers in a row counts the first one. As printed it begins at zero, and one writer more passes readers that wait.
 *   <li>The server begins the next era after the recovery, and clients read the era before {@code RelCnt}. In the printed order a client could read the new era
 *       and a {@code RelCnt} without the leap, and have a lock recovered that is in use again.
 *   <li>A recovery changes {@code Epoch}, too. So a reader that finds another {@code Epoch} wants to see that {@code RelCnt} has changed as well since it last looked, less than
 *       a lease ago, or reads {@code RelCnt} again after {@code Epoch}.
 *   <li>A message that was sent before a recovery may arrive after it. So {@code Successor} carries {@code RelCnt}, too, and a client ignores messages from the other side of
 *       a leap.
 *   <li>The server does not answer. A client that has asked it looks again after a lease, and sees the leap or asks again.
 * </ul>
 *
 * <p>As in the paper, a verb or message that travels for longer than a lease breaks the lock, and so does a client that does not look for the time of two
 * recoveries: two leaps cancel each other.
 */
@NullMarked
package io.declock.protocols.shiftlock;

import org.jspecify.annotations.NullMarked;
