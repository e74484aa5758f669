// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.net.URI;
import java.net.URISyntaxException;

/**
 * The address of a memory node: {@code tcp://host:port}, {@code rdma://host:port} or {@code inprocess://name}.
 *
 * @param scheme scheme of the fabric
 * @param host host name, address, or in-process name
 * @param port TCP port, 0 for none
 */
public record MemoryNodeAddress(String scheme, String host, int port) {
    /** Port of a memory node unless configured otherwise. */
    public static final int DEFAULT_PORT = 7420;

    /**
     * Parses an address; a missing port is {@value #DEFAULT_PORT}, a missing scheme is {@code tcp}.
     *
     * @param text the address as a user writes it
     * @return the address
     * @throws IllegalArgumentException if it is malformed; the message says how
     */
    public static MemoryNodeAddress parse(String text) {
        String trimmed = text.trim();
        String withScheme = trimmed.contains("://") ? trimmed : "tcp://" + trimmed;
        try {
            URI uri = new URI(withScheme);
            if (uri.getHost() == null
                    || (uri.getPath() != null && !uri.getPath().isEmpty())) {
                throw new IllegalArgumentException("'" + text + "' is not of the form scheme://host:port");
            }
            int port = uri.getPort() >= 0 ? uri.getPort() : DEFAULT_PORT;
            if (port > 65535) {
                throw new IllegalArgumentException("'" + text + "' has a port above 65535");
            }
            return new MemoryNodeAddress(uri.getScheme(), uri.getHost(), port);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not of the form scheme://host:port: " + e.getMessage(), e);
        }
    }

    @Override
    public String toString() {
        return scheme + "://" + host + (port > 0 ? ":" + port : "");
    }
}
