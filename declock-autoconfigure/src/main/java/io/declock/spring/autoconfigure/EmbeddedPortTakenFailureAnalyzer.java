// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/** Explains that another program uses the port of the embedded memory node. */
@Order(0)
final class EmbeddedPortTakenFailureAnalyzer extends AbstractFailureAnalyzer<EmbeddedPortTakenException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, EmbeddedPortTakenException cause) {
        return new FailureAnalysis(
                "The property 'declock.embedded.port' has the value '" + cause.port()
                        + "', but the program that uses that port is not a memory node that this application can join: "
                        + cause.problem() + ".",
                "Stop the program that uses port " + cause.port()
                        + ", or set declock.embedded.port to another port, the same in every instance on this"
                        + " machine. If it is the memory node of another application or user, give both the same declock.secret and"
                        + " declock.ssl.bundle. For production, run memory nodes and set declock.memory-nodes=tcp://host:7420.",
                cause);
    }
}
