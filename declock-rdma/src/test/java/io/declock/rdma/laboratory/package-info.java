// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Tests that run on the host and start machines; everything else that is called {@code *IT} runs inside them. */
@NullMarked
package io.declock.rdma.laboratory;

import org.jspecify.annotations.NullMarked;
