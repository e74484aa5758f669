// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/**
 * A provider of DiSNI's verbs API on {@code libibverbs.so.1} and {@code librdmacm.so.1} by Java's foreign function interface.
 * Functions and structs keep their C names; the manual pages of rdma-core describe them.
 */
@NullMarked
package io.declock.rdma.ffm;

import org.jspecify.annotations.NullMarked;
