// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/** Explains a property whose value cannot work. */
@Order(0)
final class InvalidDecLockPropertyFailureAnalyzer extends AbstractFailureAnalyzer<InvalidDecLockPropertyException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidDecLockPropertyException cause) {
        return new FailureAnalysis(
                "The property '" + cause.property() + "' has the value '" + cause.value() + "', but " + cause.reason()
                        + ".",
                cause.mend(),
                cause);
    }
}
