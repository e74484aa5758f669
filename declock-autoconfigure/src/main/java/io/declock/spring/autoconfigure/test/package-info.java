// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** What applies to tests of applications only. */
@NullMarked
package io.declock.spring.autoconfigure.test;

import org.jspecify.annotations.NullMarked;
