// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The server of a memory node: its side of sessions over TCP, and of the questions between memory nodes. */
@NullMarked
package io.declock.internal.tcp.server;

import org.jspecify.annotations.NullMarked;
