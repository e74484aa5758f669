// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** A shop with limited stock: an example of an application that uses DecLock, and a demonstration of the purpose of the lock. */
@NullMarked
package io.declock.sample;

import org.jspecify.annotations.NullMarked;
