// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/** Explains that memory nodes were not joined when the application started. */
@Order(0)
final class MemoryNodesMissingFailureAnalyzer extends AbstractFailureAnalyzer<MemoryNodesMissingException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, MemoryNodesMissingException cause) {
        return new FailureAnalysis(
                "These memory nodes (property 'declock.memory-nodes') were not joined within "
                        + cause.waited().toMillis() + " ms (property 'declock.startup.timeout'): " + cause.problems()
                        + ".",
                "Start the memory nodes, or correct their addresses. To let the application start without them, remove"
                        + " declock.startup.required=true.",
                cause);
    }
}
