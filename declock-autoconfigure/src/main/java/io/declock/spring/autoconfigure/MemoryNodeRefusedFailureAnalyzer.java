// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.MemoryNodeRefusedException;
import io.declock.spi.FabricException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/** Explains that a memory node refused this application. Never shows the secret. */
@Order(0)
final class MemoryNodeRefusedFailureAnalyzer extends AbstractFailureAnalyzer<MemoryNodeRefusedException> {
    private final @Nullable Environment environment;

    MemoryNodeRefusedFailureAnalyzer(@Nullable Environment environment) {
        this.environment = environment;
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, MemoryNodeRefusedException cause) {
        FabricException.Refused refused = findCause(cause, FabricException.Refused.class);
        return new FailureAnalysis(
                "A memory node refused this application: " + cause.getMessage(),
                refused == null ? "Correct the problem that the message describes." : mend(refused.reason()),
                cause);
    }

    private String mend(FabricException.Reason reason) {
        return switch (reason) {
            case BAD_SECRET ->
                "The property 'declock.secret' is "
                        + (StringUtils.hasLength(property("declock.secret"))
                                ? "set (its value is not shown)"
                                : "not set")
                        + ". Set it to the memory node's secret.";
            case BAD_VERSION ->
                "Update the older side: a memory node and an application of neighbouring versions of the protocol understand each other, older ones do not.";
            case BAD_NODE_SET ->
                "The property 'declock.memory-nodes' has the value '" + property("declock.memory-nodes")
                        + "'. List the same memory nodes in every application that uses them: otherwise one name would have two locks.";
            case TOO_MANY_COMPUTE_NODES ->
                "Let fewer instances use the memory node, or spread the locks over more memory nodes.";
            case TABLE_FULL -> "Configure the memory node with more records.";
            case TOO_MANY_NAMES ->
                "Use fewer lock names, or raise declock.memory-node.records or declock.memory-node.records-per-session"
                        + " (declock.embedded.* where it is embedded).";
            case BAD_REQUEST, NOT_YET, TWO_MEMORY_NODES, SESSION_OVER, STANDS_BY ->
                "Correct the problem that the message describes.";
        };
    }

    private @Nullable String property(String name) {
        return environment == null ? null : environment.getProperty(name);
    }
}
