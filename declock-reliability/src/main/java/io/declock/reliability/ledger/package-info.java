// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** What processes write down of their critical sections, apart from the lock, and how it is judged. */
@NullMarked
package io.declock.reliability.ledger;

import org.jspecify.annotations.NullMarked;
