// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Checks fencing tokens in the database: in the SQL update itself. */
@NullMarked
package io.declock.spring.jdbc;

import org.jspecify.annotations.NullMarked;
