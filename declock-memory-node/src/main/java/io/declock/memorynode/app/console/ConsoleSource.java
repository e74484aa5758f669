// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app.console;

import io.declock.internal.memorynode.MemoryNodeStatus;
import io.declock.internal.memorynode.Operator;

/** What the console shows. Thread-safe. */
public interface ConsoleSource {
    /** Returns the status of the memory node's present life. */
    MemoryNodeStatus status();

    /** Returns its locks. */
    Operator operator();

    /** Returns the part that it plays: serving, standing by or deposed. */
    String role();
}
