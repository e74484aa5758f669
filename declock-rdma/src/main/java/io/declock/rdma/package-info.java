// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The RDMA fabric: one-sided verbs executed by the network adapters of both sides. */
@NullMarked
package io.declock.rdma;

import org.jspecify.annotations.NullMarked;
