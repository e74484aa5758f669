// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import io.declock.LockMode;
import io.declock.LockView;

/**
 * One hold or one wait of a compute node, or a lock that it keeps, in its answer to a {@link LockInquiry}.
 *
 * @param state whether the lock is held, reserved, waited for or kept
 * @param mode mode held or asked for
 * @param owner thread name or owner description, empty for a kept lock
 * @param token fencing token of the hold, 0 while waiting and for a kept lock
 * @param ageNanos how long it has been held or waited for, or has been kept without being used, in nanoseconds
 */
public record LockUse(LockView.State state, LockMode mode, String owner, long token, long ageNanos) {}
