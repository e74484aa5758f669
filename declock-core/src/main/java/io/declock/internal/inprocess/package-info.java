// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The fabric inside one process: verbs run on the caller's thread. */
@NullMarked
package io.declock.internal.inprocess;

import org.jspecify.annotations.NullMarked;
