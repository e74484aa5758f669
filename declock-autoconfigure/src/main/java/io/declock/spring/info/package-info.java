// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** What the actuator's info says. */
@NullMarked
package io.declock.spring.info;

import org.jspecify.annotations.NullMarked;
