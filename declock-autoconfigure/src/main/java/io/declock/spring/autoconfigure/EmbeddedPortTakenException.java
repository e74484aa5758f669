// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.DecLockException;
import org.jspecify.annotations.Nullable;

/** Another program that is not a memory node this application can join uses the port of the embedded memory node. */
final class EmbeddedPortTakenException extends DecLockException {
    private static final long serialVersionUID = 1L;

    private final int port;
    private final @Nullable String problem;

    EmbeddedPortTakenException(int port, @Nullable String problem, @Nullable Throwable cause) {
        super(
                "Port " + port + " is in use, but not by a memory node that this application can join: " + problem,
                cause);
        this.port = port;
        this.problem = problem;
    }

    int port() {
        return port;
    }

    @Nullable
    String problem() {
        return problem;
    }
}
