// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Tables, JSON and verdicts. */
@NullMarked
package io.declock.benchmarks.report;

import org.jspecify.annotations.NullMarked;
