// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.test;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/** Makes the application contexts of {@link DecLockTest}. */
final class DecLockTestContextBootstrapper extends TestSliceTestContextBootstrapper<DecLockTest> {}
