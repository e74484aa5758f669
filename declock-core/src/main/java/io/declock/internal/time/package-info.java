// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Interfaces to time and randomness: the protocol reads clocks, starts timers and draws random numbers only through them. */
@NullMarked
package io.declock.internal.time;

import org.jspecify.annotations.NullMarked;
