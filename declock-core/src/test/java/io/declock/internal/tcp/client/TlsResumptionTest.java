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
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A session resumes with the same proofs as it joins: mutual TLS and the secret. */
@Tag("slow")
@Timeout(120)
class TlsResumptionTest extends ResumptionContract {
    private static final String SECRET = "s3cret-of-sixteen";

    @TempDir
    private static Path folder;

    private static SSLContext server;
    private static SSLContext client;

    @BeforeAll
    static void certificates() throws Exception {
        KeyStore memoryNode = TestCertificates.create(folder, "memory-node", "127.0.0.1");
        KeyStore computeNode = TestCertificates.create(folder, "compute-node", "elsewhere.example");
        server = TestCertificates.context(memoryNode, computeNode);
        client = TestCertificates.context(computeNode, memoryNode);
    }

    @Override
    protected MemoryNodeServerSettings.Builder server() {
        return MemoryNodeServerSettings.builder()
                .secrets(List.of(SECRET))
                .tls(TlsMaterial.of(server, TcpTlsFabricTest.mutual()));
    }

    @Override
    protected TcpFabricSettings client() {
        return TcpFabricSettings.builder()
                .secret(SECRET)
                .clientTls(TlsMaterial.of(client, null))
                .build();
    }
}
