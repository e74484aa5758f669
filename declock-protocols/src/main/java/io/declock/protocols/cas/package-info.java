// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/**
 * CASLock, the spinlock that DecLock's paper compares with (section 6.1), with readers and writers. One word: the upper half names the writer,
 * the lower half counts readers.
 *
 * <ol>
 *   <li>A writer swaps zero for itself. If the word had another value, it tries again.
 *   <li>A reader swaps the number of readers that it expects for one more. If the word had another value without a writer, that is the number
 *       to expect, and it tries again at once. If it had a writer, the reader tries again as a writer does.
 *   <li>Before it tries again a client pauses, if there is a back-off.
 *   <li>A release takes off what was put on. Nobody is told.
 * </ol>
 *
 * <p>It is not fair, and nothing gives back the lock of a client that died.
 */
@NullMarked
package io.declock.protocols.cas;

import org.jspecify.annotations.NullMarked;
