// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/** Explains that memory nodes must be configured. */
@Order(0)
final class MemoryNodesNotConfiguredFailureAnalyzer extends AbstractFailureAnalyzer<MemoryNodesNotConfiguredException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, MemoryNodesNotConfiguredException cause) {
        return new FailureAnalysis(
                "The property 'declock.memory-nodes' is not set. " + cause.why(), cause.mend(), cause);
    }
}
