// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Ports for time and randomness: nothing in the protocol reads a clock, starts a timer or draws a number otherwise. */
@NullMarked
package io.declock.internal.time;

import org.jspecify.annotations.NullMarked;
