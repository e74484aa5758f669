// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One hold or one wait of this process at one moment.
 *
 * @param name the lock's name without its namespace
 * @param memoryNode stable id of its memory node, empty before it is known
 * @param state HELD or WAITING
 * @param mode mode held or asked for
 * @param owner thread name or owner description
 * @param fencingToken token of the hold, null while waiting
 * @param age how long it has been held or waited for
 * @param queuePosition place in this process's own queue for the lock counted from 0, null for holds
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
    /** Whether it is held, reserved or waited for. */
    public enum State {
        /** Held. */
        HELD,
        /** Held by nobody any more, and taken until the time of {@link LockRequest#holdAtLeast} is over. */
        RESERVED,
        /** Waited for. */
        WAITING
    }
}
