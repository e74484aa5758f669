// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints why the memory node did not start and what to do, instead of a stack trace. */
final class MemoryNodeStartFailureAnalyzer extends AbstractFailureAnalyzer<MemoryNodeStartException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, MemoryNodeStartException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
    }
}
