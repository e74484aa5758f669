// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The servers that a run starts on the loopback interface, and stops again. */
@NullMarked
package io.declock.benchmarks.server;

import org.jspecify.annotations.NullMarked;
