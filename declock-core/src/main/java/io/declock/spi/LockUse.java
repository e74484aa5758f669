// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import io.declock.LockMode;
import io.declock.LockView;

/**
 * One hold or one wait of a compute node, in its answer to a {@link LockInquiry}.
 *
 * @param state whether the lock is held, reserved or waited for
 * @param mode mode held or asked for
 * @param owner thread name or owner description
 * @param token fencing token of the hold, 0 while waiting
 * @param ageNanos how long it has been held or waited for, in nanoseconds
 */
public record LockUse(LockView.State state, LockMode mode, String owner, long token, long ageNanos) {}
