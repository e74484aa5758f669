// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Runs the locks of the literature on a fabric, so that they can be measured beside DecLock. */
@NullMarked
package io.declock.protocols.fabric;

import org.jspecify.annotations.NullMarked;
