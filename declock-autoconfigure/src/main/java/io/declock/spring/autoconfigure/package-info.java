// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Spring Boot auto-configuration of DecLock. */
@NullMarked
package io.declock.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
