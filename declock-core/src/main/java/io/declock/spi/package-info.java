// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The interfaces to the network: one-sided verbs on a memory node's region, messages between compute nodes, and the control plane. */
@NullMarked
package io.declock.spi;

import org.jspecify.annotations.NullMarked;
