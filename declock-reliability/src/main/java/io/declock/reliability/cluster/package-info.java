// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** A memory node, workers and the connections between them, with faults that the caller injects. */
@NullMarked
package io.declock.reliability.cluster;

import org.jspecify.annotations.NullMarked;
