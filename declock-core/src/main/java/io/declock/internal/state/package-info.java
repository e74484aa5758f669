// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The state directory of a memory node: what survives it on a disk. */
@NullMarked
package io.declock.internal.state;

import org.jspecify.annotations.NullMarked;
