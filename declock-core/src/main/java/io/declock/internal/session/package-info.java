// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Sessions of a compute node with its memory nodes: lease, membership, reset coordinator, clock synchronisation. */
@NullMarked
package io.declock.internal.session;

import org.jspecify.annotations.NullMarked;
