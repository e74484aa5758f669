// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** How the parts behind {@link io.declock.DecLock} are put together. Nothing below this package is for users of the library. */
@NullMarked
package io.declock.internal;

import org.jspecify.annotations.NullMarked;
