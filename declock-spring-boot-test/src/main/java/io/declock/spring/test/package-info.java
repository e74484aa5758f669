// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** What the tests of an application need that uses locks: locks that are lost, busy or left behind on purpose, and a slice. */
@NullMarked
package io.declock.spring.test;

import org.jspecify.annotations.NullMarked;
