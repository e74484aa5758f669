// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Health of the memory nodes. */
@NullMarked
package io.declock.spring.health;

import org.jspecify.annotations.NullMarked;
