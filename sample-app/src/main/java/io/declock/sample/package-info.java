// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** A shop with limited stock: what an application that uses DecLock looks like, and a demonstration of what the lock is for. */
@NullMarked
package io.declock.sample;

import org.jspecify.annotations.NullMarked;
