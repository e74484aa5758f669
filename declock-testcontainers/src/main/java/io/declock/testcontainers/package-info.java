// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** A memory node in a container, for tests of an application. */
@NullMarked
package io.declock.testcontainers;

import org.jspecify.annotations.NullMarked;
