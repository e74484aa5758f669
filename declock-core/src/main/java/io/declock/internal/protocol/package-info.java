// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Cooperative queue-notify locking (CQL) as state machines without I/O, time or threads (DecLock, section 4). */
@NullMarked
package io.declock.internal.protocol;

import org.jspecify.annotations.NullMarked;
