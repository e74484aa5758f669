// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** A sample application. */
@NullMarked
package io.declock.sample;

import org.jspecify.annotations.NullMarked;
