// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** What a memory node's RDMA access and the compute nodes that use it share. */
@NullMarked
package io.declock.internal.rdma;

import org.jspecify.annotations.NullMarked;
