// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The fabric over TCP, with the wire protocol shared by compute nodes and memory nodes. */
@NullMarked
package io.declock.internal.tcp;

import org.jspecify.annotations.NullMarked;
