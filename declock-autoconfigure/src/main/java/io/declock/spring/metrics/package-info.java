// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Metrics and observations. */
@NullMarked
package io.declock.spring.metrics;

import org.jspecify.annotations.NullMarked;
