// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** What a running compute node tells about itself: counters, snapshots and an observer of grants. */
@NullMarked
package io.declock.internal.monitor;

import org.jspecify.annotations.NullMarked;
