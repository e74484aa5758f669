// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** An instance's data about itself and the other instances, for the page. */
@NullMarked
package io.declock.sample.live;

import org.jspecify.annotations.NullMarked;
