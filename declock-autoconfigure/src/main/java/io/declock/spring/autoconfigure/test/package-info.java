// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Support for tests of applications. */
@NullMarked
package io.declock.spring.autoconfigure.test;

import org.jspecify.annotations.NullMarked;
