// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure.compose;

import io.declock.spring.autoconfigure.DecLockConnectionDetails;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionDetailsFactory;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;
import org.springframework.boot.ssl.SslBundle;

/** Connects an application with the memory node of its Docker Compose file: the service whose image is {@code declock/memory-node}. */
final class DecLockDockerComposeConnectionDetailsFactory
        extends DockerComposeConnectionDetailsFactory<DecLockConnectionDetails> {
    private static final String IMAGE = "declock/memory-node";
    private static final int PORT = 7420;
    private static final String SECRET = "DECLOCK_MEMORYNODE_SECRET";

    DecLockDockerComposeConnectionDetailsFactory() {
        super(IMAGE);
    }

    @Override
    protected DecLockConnectionDetails getDockerComposeConnectionDetails(DockerComposeConnectionSource source) {
        return new Details(source.getRunningService());
    }

    private static final class Details extends DockerComposeConnectionDetails implements DecLockConnectionDetails {
        private final String address;
        private final @Nullable String secret;
        private final @Nullable SslBundle sslBundle;

        Details(RunningService service) {
            super(service);
            address = "tcp://" + service.host() + ":" + service.ports().get(PORT);
            secret = service.env().get(SECRET);
            sslBundle = getSslBundle(service);
        }

        @Override
        public List<String> getMemoryNodes() {
            return List.of(address);
        }

        @Override
        public @Nullable String getSecret() {
            return secret;
        }

        @Override
        public @Nullable SslBundle getSslBundle() {
            return sslBundle;
        }
    }
}
