// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Cooperative queue-notify locking (CQL) as state machines without I/O, time or threads (DecLock, section 4).
 *
 * <p>The package has layers, and no class knows one above its own:
 *
 * <ol>
 * <li>State: {@code Position}, {@code Tenure}, {@code Suspicion}, {@code Waiting} and {@code LockChain} have data and its invariants, and
 * {@code LockState} joins them. {@code HandOver} and {@code SelfCheck} decide, from the words of a READ.
 * <li>Functions over {@code LockState}, without state of their own, each one mechanism of the protocol: from {@code Freeze} and
 * {@code Successors} below to {@code ResetMember} above.
 * <li>{@code CqlLock}: takes the mutex, gives each event to its function, performs the effects.
 * </ol>
 *
 * <p>What a function has started comes back from below: a chain carries its step and a timer its kind, and {@code CqlLock} gives both to
 * the function that goes on. All classes keep to this style because a process may know 100,000 locks, of which an operation finds most out
 * of the cache: an object for every mechanism would cost more bytes, and a reference from each of them to the lock.
 */
@NullMarked
package io.declock.internal.protocol;

import org.jspecify.annotations.NullMarked;
