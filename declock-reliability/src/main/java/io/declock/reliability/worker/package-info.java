// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The process that acquires locks: a compute node that executes commands from its standard input. */
@NullMarked
package io.declock.reliability.worker;

import org.jspecify.annotations.NullMarked;
