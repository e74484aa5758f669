// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The experiments of the papers as commands: loads, published values, figures and the report. */
@NullMarked
package io.declock.evaluation;

import org.jspecify.annotations.NullMarked;
