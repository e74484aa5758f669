// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.TcpFabricSettings;
import io.declock.TlsMaterial;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.testkit.TestCertificates;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/** Settings of a memory node and of compute nodes that demand certificates of each other, and share a secret. */
final class MutualTls {
    private static final String SECRET = "s3cret-of-sixteen";

    private final SSLContext server;
    private final SSLContext client;

    /** Makes the certificates in a folder. */
    MutualTls(Path folder) throws Exception {
        KeyStore memoryNode = TestCertificates.create(folder, "memory-node", "127.0.0.1");
        KeyStore computeNode = TestCertificates.create(folder, "compute-node", "elsewhere.example");
        server = TestCertificates.context(memoryNode, computeNode);
        client = TestCertificates.context(computeNode, memoryNode, computeNode);
    }

    /** Returns parameters that demand a certificate of the other side. */
    static SSLParameters parameters() {
        SSLParameters parameters = new SSLParameters();
        parameters.setNeedClientAuth(true);
        return parameters;
    }

    MemoryNodeServerSettings.Builder server() {
        return MemoryNodeServerSettings.builder().secrets(List.of(SECRET)).tls(TlsMaterial.of(server, parameters()));
    }

    TcpFabricSettings client() {
        return TcpFabricSettings.builder()
                .secret(SECRET)
                .clientTls(TlsMaterial.of(client, null))
                .serverTls(TlsMaterial.of(client, parameters()))
                .build();
    }
}
