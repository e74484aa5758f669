// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Tests of several processes on one machine's device; they run inside the laboratory's machines. */
@NullMarked
package io.declock.rdma.processes;

import org.jspecify.annotations.NullMarked;
