// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** JMH microbenchmarks of single steps. */
@NullMarked
package io.declock.benchmarks.micro;

import org.jspecify.annotations.NullMarked;
