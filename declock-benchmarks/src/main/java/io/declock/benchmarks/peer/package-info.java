// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** What is compared: DecLock and the locks that users pick instead, behind one small interface. */
@NullMarked
package io.declock.benchmarks.peer;

import org.jspecify.annotations.NullMarked;
