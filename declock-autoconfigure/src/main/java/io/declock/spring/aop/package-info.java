// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The advice behind {@link io.declock.spring.DecLocked}: finding annotations, compiling them once, running methods under their lock, and reporting misuse at start. */
@NullMarked
package io.declock.spring.aop;

import org.jspecify.annotations.NullMarked;
