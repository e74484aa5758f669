// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** A memory node, workers and the connections between them, with faults at the caller's wish. */
@NullMarked
package io.declock.reliability.cluster;

import org.jspecify.annotations.NullMarked;
