// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains why memory nodes cannot be reached by RDMA. */
final class RdmaUnavailableFailureAnalyzer extends AbstractFailureAnalyzer<RdmaUnavailableException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, RdmaUnavailableException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
    }
}
