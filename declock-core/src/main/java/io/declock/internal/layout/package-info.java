// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The bits of lock records, lock headers, queue entries and fencing tokens; one class owns each layout. */
@NullMarked
package io.declock.internal.layout;

import org.jspecify.annotations.NullMarked;
