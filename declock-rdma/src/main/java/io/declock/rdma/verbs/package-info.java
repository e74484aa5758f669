// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** What the fabric needs of a provider of verbs, and work requests in native memory. */
@NullMarked
package io.declock.rdma.verbs;

import org.jspecify.annotations.NullMarked;
