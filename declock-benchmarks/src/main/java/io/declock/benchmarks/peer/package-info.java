// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The locks that are compared: DecLock and other locks that users could choose, behind one small interface. */
@NullMarked
package io.declock.benchmarks.peer;

import org.jspecify.annotations.NullMarked;
