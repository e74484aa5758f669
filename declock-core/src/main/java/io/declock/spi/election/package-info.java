// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The port to an engine that decides which candidate of a memory node serves, and keeps what its next term must know (docs/high-availability.md).
 */
@NullMarked
package io.declock.spi.election;

import org.jspecify.annotations.NullMarked;
