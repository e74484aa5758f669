// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Assembles the parts behind {@link io.declock.DecLock}. Nothing below this package is for users of the library. */
@NullMarked
package io.declock.internal;

import org.jspecify.annotations.NullMarked;
