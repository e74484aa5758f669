// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Programs that run inside the laboratory's machines. */
@NullMarked
package io.declock.rdma.laboratory.program;

import org.jspecify.annotations.NullMarked;
