// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** What application code writes: {@link io.declock.spring.DecLocked} and what a locked method may ask about its lock. */
@NullMarked
package io.declock.spring;

import org.jspecify.annotations.NullMarked;
