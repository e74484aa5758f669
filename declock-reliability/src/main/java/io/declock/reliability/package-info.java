// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Faults upon real processes, and commands that measure and try them. */
@NullMarked
package io.declock.reliability;

import org.jspecify.annotations.NullMarked;
