// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The experiments of the papers, with the values that the papers print. */
@NullMarked
package io.declock.evaluation.papers;

import org.jspecify.annotations.NullMarked;
