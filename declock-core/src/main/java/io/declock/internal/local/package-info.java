// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The queue of callers inside one compute node, its fairness policies, and the connection of the local and the remote level (DecLock,
 * section 5).
 */
@NullMarked
package io.declock.internal.local;

import org.jspecify.annotations.NullMarked;
