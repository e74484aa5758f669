// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The queue of callers inside one compute node, its fairness policies, and the connection of the local and the remote level (DecLock,
 * section 5).
 *
 * <p>The package has the same layers as {@code io.declock.internal.protocol}, for the same reason: state ({@code LocalState} and what it
 * consists of); functions over it without state of their own, from {@code Turn} and {@code Granter} below to {@code Arrival} above; and on
 * top {@code LocalLock} for callers and the node, and {@code HeldLock} for holders, which take the mutex and perform the effects.
 */
@NullMarked
package io.declock.internal.local;

import org.jspecify.annotations.NullMarked;
