// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** What an instance knows about itself and the others, for the page that shows it. */
@NullMarked
package io.declock.sample.live;

import org.jspecify.annotations.NullMarked;
