// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.internal.protocol.CqlEnvironment;

/**
 * What a hold rests on at one moment: a position in a session.
 *
 * @param session the session
 * @param record address of the record
 * @param epoch full epoch of the position
 * @param index queue index of the position
 * @param exclusive its mode
 * @param moving whether the position may have another index at the memory node by now, because it is being marked as kept (rule K6)
 */
public record Footing(CqlEnvironment session, long record, long epoch, int index, boolean exclusive, boolean moving) {}
