// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The memory node as a Spring Boot application. */
@NullMarked
package io.declock.memorynode.app;

import org.jspecify.annotations.NullMarked;
