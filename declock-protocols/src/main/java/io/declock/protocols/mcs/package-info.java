// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The MCS lock over a network, as ShiftLock's paper describes it (section 2.4, algorithm 1): exclusive, and first come, first served. One word
 * names the last in the queue, zero if there is none.
 *
 * <ol>
 *   <li>A client swaps the word for itself. Plain adapters have no unconditional swap, so it swaps the value that it expects, and on
 *       failure the one that it has learnt. With extended atomics it swaps whatever is there, as ShiftLock's paper does (section 3.3).
 *   <li>If somebody was there, the client tells it that it is the successor, and waits to be handed the lock.
 *   <li>On a release, a client that knows no successor swaps itself for zero.
 *   <li>If that fails, somebody has come: the client waits to be told by whom.
 *   <li>It hands the lock to the successor with a message. One kind of the lock counts that at the memory node before ({@link McsLock#counting}).
 * </ol>
 *
 * <p>Nothing mends the queue when a client dies. {@link io.declock.protocols.alock ALock} has two such queues for a lock, and uses the same clients and places.
 */
@NullMarked
package io.declock.protocols.mcs;

import org.jspecify.annotations.NullMarked;
