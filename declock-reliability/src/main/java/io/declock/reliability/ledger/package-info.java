// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Records of the processes' critical sections, made without the lock, and their judgement. */
@NullMarked
package io.declock.reliability.ledger;

import org.jspecify.annotations.NullMarked;
