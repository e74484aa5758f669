// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** What several parts of the Spring support need. */
@NullMarked
package io.declock.spring.support;

import org.jspecify.annotations.NullMarked;
