// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Transactions under locks. */
@NullMarked
package io.declock.spring.transaction;

import org.jspecify.annotations.NullMarked;
