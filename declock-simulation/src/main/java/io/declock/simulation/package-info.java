// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Deterministic simulation of the lock protocol. */
@NullMarked
package io.declock.simulation;

import org.jspecify.annotations.NullMarked;
