// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The process that takes locks: a compute node that does what its standard input says. */
@NullMarked
package io.declock.reliability.worker;

import org.jspecify.annotations.NullMarked;
