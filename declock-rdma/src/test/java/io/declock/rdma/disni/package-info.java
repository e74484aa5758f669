// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Tests of the provider on DiSNI's native library that need no such library. */
@NullMarked
package io.declock.rdma.disni;

import org.jspecify.annotations.NullMarked;
