// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The servers that a run starts and stops on the loopback interface. */
@NullMarked
package io.declock.benchmarks.server;

import org.jspecify.annotations.NullMarked;
