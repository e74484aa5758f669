// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The demonstration: starts a memory node, instances and a load, and prints the outcome. */
@NullMarked
package io.declock.sample.demo;

import org.jspecify.annotations.NullMarked;
