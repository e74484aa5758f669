// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Connects an application with the memory node of its Docker Compose file. */
@NullMarked
package io.declock.spring.autoconfigure.compose;

import org.jspecify.annotations.NullMarked;
