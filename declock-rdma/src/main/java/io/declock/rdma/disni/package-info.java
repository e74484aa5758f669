// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Verbs through DiSNI's own native library, for users who have built one. */
@NullMarked
package io.declock.rdma.disni;

import org.jspecify.annotations.NullMarked;
