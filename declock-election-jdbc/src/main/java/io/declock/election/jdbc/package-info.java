// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** A database elects the candidate that serves a memory node. */
@NullMarked
package io.declock.election.jdbc;

import org.jspecify.annotations.NullMarked;
