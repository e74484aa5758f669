// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The interface between the fabric and a provider of verbs, and work requests in native memory. */
@NullMarked
package io.declock.rdma.verbs;

import org.jspecify.annotations.NullMarked;
