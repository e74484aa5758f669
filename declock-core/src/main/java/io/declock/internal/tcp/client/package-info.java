// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The fabric over TCP: the compute node's side of a session, and the connections between peers. */
@NullMarked
package io.declock.internal.tcp.client;

import org.jspecify.annotations.NullMarked;
