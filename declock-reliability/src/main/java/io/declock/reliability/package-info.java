// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Faults injected into real processes, and commands that measure recovery and run a soak. */
@NullMarked
package io.declock.reliability;

import org.jspecify.annotations.NullMarked;
