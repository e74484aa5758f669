// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/** The memory nodes' addresses, secret and TLS. A bean of this type replaces the properties of the same meaning. */
public interface DecLockConnectionDetails extends ConnectionDetails {
    /** {@return the addresses of the memory nodes, as {@code tcp://host:port}; empty for none} */
    List<String> getMemoryNodes();

    /** {@return the secret shared with the memory nodes, null for none} */
    default @Nullable String getSecret() {
        return null;
    }

    /** {@return the SSL bundle for connections to memory nodes and between services, null for connections without TLS} */
    default @Nullable SslBundle getSslBundle() {
        return null;
    }
}
