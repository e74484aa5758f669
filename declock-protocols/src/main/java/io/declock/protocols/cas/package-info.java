// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/**
 * CASLock, the spinlock that DecLock's paper compares with (section 6.1), with readers and writers. One word: the upper half names the writer,
 * the lower half counts readers.
 *
 * <ol>
 *   <li>A writer swaps zero for itself. If the word had another value, it tries again.
 *   <li>A reader adds itself to the readers. If there was a writer, it takes itself off again, and tries again. So readers alone never try twice, but a reader that
 *       tries in vain is in the way of writers for a moment.
 *   <li>Before it tries again a client pauses, if there is a back-off.
 *   <li>A release takes off what was put on. Nobody is told.
 * </ol>
 *
 * <p>DecLock's paper takes its readers and writers from <i>Using RDMA for Lock Management</i> (Chung, Zamanian, 2015), and says that readers alone do not retry. DSLR's paper compares
 * with the same lock as <i>Retry-on-Fail</i>: compare-and-swap for writers, fetch-and-add for readers, and a retry after each conflict.
 *
 * <p>It is not fair, and nothing gives back the lock of a client that died.
 */
@NullMarked
package io.declock.protocols.cas;

import org.jspecify.annotations.NullMarked;
