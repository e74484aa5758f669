// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.TcpFabricSettings;
import io.declock.TlsMaterial;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spi.FabricContract;
import io.declock.spi.FabricRig;
import io.declock.testkit.TestCertificates;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The whole contract over mutual TLS with a secret. */
@Tag("slow")
class TcpTlsFabricTest extends FabricContract {
    @TempDir
    private static Path folder;

    private static SSLContext server;
    private static SSLContext client;

    @BeforeAll
    static void certificates() throws Exception {
        KeyStore memoryNode = TestCertificates.create(folder, "memory-node", "127.0.0.1");
        KeyStore computeNode = TestCertificates.create(folder, "compute-node", "elsewhere.example");
        server = TestCertificates.context(memoryNode, computeNode);
        client = TestCertificates.context(computeNode, memoryNode, computeNode);
    }

    static SSLParameters mutual() {
        SSLParameters parameters = new SSLParameters();
        parameters.setNeedClientAuth(true);
        return parameters;
    }

    @Override
    protected FabricRig start(MemoryNodeSettings settings) {
        return new TcpRig(
                settings,
                time,
                MemoryNodeServerSettings.builder()
                        .secrets(List.of("s3cret-of-sixteen"))
                        .tls(TlsMaterial.of(server, mutual())),
                TcpFabricSettings.builder()
                        .secret("s3cret-of-sixteen")
                        .clientTls(TlsMaterial.of(client, null))
                        .serverTls(TlsMaterial.of(client, mutual()))
                        .build());
    }
}
