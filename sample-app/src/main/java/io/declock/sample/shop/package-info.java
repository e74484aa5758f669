// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Products, orders and the lock that keeps them consistent. */
@NullMarked
package io.declock.sample.shop;

import org.jspecify.annotations.NullMarked;
