// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The API for application code: {@link io.declock.spring.DecLocked}, and the context that gives a locked method its lock. */
@NullMarked
package io.declock.spring;

import org.jspecify.annotations.NullMarked;
