// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.MemoryNodeUnavailableException;
import java.time.Duration;

/** The application may not start without its memory nodes, and some of them were not joined in time. */
final class MemoryNodesMissingException extends MemoryNodeUnavailableException {
    private static final long serialVersionUID = 1L;

    private final String problems;
    private final transient Duration waited;

    MemoryNodesMissingException(String problems, Duration waited) {
        super("These memory nodes were not joined within " + waited.toMillis() + " ms: " + problems);
        this.problems = problems;
        this.waited = waited;
    }

    String problems() {
        return problems;
    }

    Duration waited() {
        return waited;
    }
}
