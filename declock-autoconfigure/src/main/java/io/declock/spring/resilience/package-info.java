// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Circuit breaker and retry for memory nodes that are unavailable. */
@NullMarked
package io.declock.spring.resilience;

import org.jspecify.annotations.NullMarked;
