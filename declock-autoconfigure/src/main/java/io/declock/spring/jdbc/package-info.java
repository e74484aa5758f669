// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Checking a fencing token where the data is: in the SQL update. */
@NullMarked
package io.declock.spring.jdbc;

import org.jspecify.annotations.NullMarked;
