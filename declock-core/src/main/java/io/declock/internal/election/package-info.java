// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** A memory node with stand-bys: who of its candidates serves, and the list of its members at the engine that elects them. */
@NullMarked
package io.declock.internal.election;

import org.jspecify.annotations.NullMarked;
