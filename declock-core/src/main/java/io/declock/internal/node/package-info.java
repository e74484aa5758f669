// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The compute node: builder, threads and wiring. */
@NullMarked
package io.declock.internal.node;

import org.jspecify.annotations.NullMarked;
