// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The actuator endpoint that shows locks. */
@NullMarked
package io.declock.spring.endpoint;

import org.jspecify.annotations.NullMarked;
