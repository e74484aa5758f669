// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal;

import io.declock.spi.AdapterException;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** The module {@code declock-rdma}, which the service loader finds if it is there. Stateless. */
public final class RdmaModule {
    private static final int JAVA = 25;

    private RdmaModule() {}

    /**
     * Returns the module's provider of a service.
     *
     * @return empty if the module is not there
     * @throws AdapterException if the module cannot be loaded
     */
    public static <P> Optional<P> find(Class<P> service) throws AdapterException {
        try {
            return ServiceLoader.load(service).findFirst();
        } catch (ServiceConfigurationError | UnsupportedClassVersionError e) {
            int java = Runtime.version().feature();
            if (java < JAVA) {
                throw new AdapterException(
                        "The module declock-rdma needs Java " + JAVA + ", and this process runs on Java " + java + ".",
                        "Run it on Java " + JAVA + " or newer, or do without RDMA.",
                        e);
            }
            throw new AdapterException(
                    "The module declock-rdma cannot be loaded: " + e.getMessage(),
                    "Use the same version of all of DecLock's modules.",
                    e);
        }
    }
}
