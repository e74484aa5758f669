// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One hold or one wait of this process at one moment, or one lock that it keeps without using it.
 *
 * @param name the lock's name without its namespace
 * @param memoryNode stable id of its memory node, empty before it is known
 * @param state held, reserved, waited for or kept
 * @param mode mode held or asked for
 * @param owner thread name or owner description, empty for a kept lock
 * @param fencingToken token of the hold, null while waiting and for a kept lock
 * @param age how long it has been held or waited for, or has been kept without being used
 * @param queuePosition place in this process's own queue for the lock counted from 0, null for holds and kept locks
 */
public record LockView(
        String name,
        String memoryNode,
        State state,
        LockMode mode,
        String owner,
        @Nullable Long fencingToken,
        Duration age,
        @Nullable Integer queuePosition) {
    /** Whether it is held, reserved, waited for or kept. The order is that of the numbers in the wire protocol. */
    public enum State {
        /** Held. */
        HELD,
        /** Held by nobody any more, and taken until the time of {@link LockRequest#holdAtLeast} is over. */
        RESERVED,
        /** Waited for. */
        WAITING,
        /** Held by nobody, and kept for the next caller of this process until another process asks for it. */
        KEPT
    }
}
