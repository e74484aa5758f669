// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Locks that use nothing but loads and stores of coherent memory, as those that Soul's paper compares itself with, on lines of Soul. */
@NullMarked
package io.declock.evaluation.coherence;

import org.jspecify.annotations.NullMarked;
