// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.testcontainers;

import io.declock.spring.autoconfigure.DecLockConnectionDetails;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;
import org.testcontainers.containers.Container;

/** Connects an application with a {@link DecLockContainer}, or with any container of the memory node's image, that is a service connection. */
final class DecLockContainerConnectionDetailsFactory
        extends ContainerConnectionDetailsFactory<Container<?>, DecLockConnectionDetails> {
    DecLockContainerConnectionDetailsFactory() {
        super(DecLockContainer.IMAGE);
    }

    /** A container of this module's class has a memory node, whatever its image is called. */
    @Override
    protected boolean sourceAccepts(
            ContainerConnectionSource<Container<?>> source, Class<?> container, Class<?> details) {
        return super.sourceAccepts(source, container, details)
                || source.accepts(ANY_CONNECTION_NAME, DecLockContainer.class, details);
    }

    @Override
    protected DecLockConnectionDetails getContainerConnectionDetails(ContainerConnectionSource<Container<?>> source) {
        return new Details(source);
    }

    private static final class Details extends ContainerConnectionDetails<Container<?>>
            implements DecLockConnectionDetails {
        Details(ContainerConnectionSource<Container<?>> source) {
            super(source);
        }

        @Override
        public List<String> getMemoryNodes() {
            Container<?> container = getContainer();
            return List.of("tcp://" + container.getHost() + ":" + container.getMappedPort(DecLockContainer.PORT));
        }

        @Override
        public @Nullable String getSecret() {
            return getContainer().getEnvMap().get(DecLockContainer.SECRET);
        }

        @Override
        public @Nullable SslBundle getSslBundle() {
            return super.getSslBundle();
        }
    }
}
