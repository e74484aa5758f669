// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The scenarios; each is a command. */
@NullMarked
package io.declock.benchmarks.scenario;

import org.jspecify.annotations.NullMarked;
