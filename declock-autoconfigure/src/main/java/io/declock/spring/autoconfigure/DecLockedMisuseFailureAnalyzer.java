// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.spring.DecLockedMisuseException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/** Lists the uses of {@code @DecLocked} that cannot work. */
@Order(0)
final class DecLockedMisuseFailureAnalyzer extends AbstractFailureAnalyzer<DecLockedMisuseException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, DecLockedMisuseException cause) {
        return new FailureAnalysis(
                "@DecLocked cannot work here:\n\n - " + String.join("\n - ", cause.problems()),
                "Correct each of these places. A method that asks for a lock is never run without it.",
                cause);
    }
}
