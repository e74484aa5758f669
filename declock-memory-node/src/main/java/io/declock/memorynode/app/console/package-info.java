// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The page on which operators see locks, their holders and waiters, and sessions, and end holds. */
@NullMarked
package io.declock.memorynode.app.console;

import org.jspecify.annotations.NullMarked;
