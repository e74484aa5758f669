// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The wire protocol over TCP, shared by compute nodes and memory nodes: framing, messages, proofs and connections. */
@NullMarked
package io.declock.internal.tcp.wire;

import org.jspecify.annotations.NullMarked;
