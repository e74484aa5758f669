// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Access to the current lock from reactive pipelines. */
@NullMarked
package io.declock.spring.reactive;

import org.jspecify.annotations.NullMarked;
