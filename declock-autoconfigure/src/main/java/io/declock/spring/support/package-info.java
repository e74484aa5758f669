// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Classes shared by several parts of the Spring support. */
@NullMarked
package io.declock.spring.support;

import org.jspecify.annotations.NullMarked;
