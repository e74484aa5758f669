// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The memory node: region of lock records, directory, membership and reclaiming. No I/O. */
@NullMarked
package io.declock.internal.memorynode;

import org.jspecify.annotations.NullMarked;
