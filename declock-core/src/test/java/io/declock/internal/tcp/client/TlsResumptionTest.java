// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.TcpFabricSettings;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A session resumes with the same proofs as it joins: mutual TLS and the secret. */
@Tag("slow")
@Timeout(120)
class TlsResumptionTest extends ResumptionContract {
    @TempDir
    private static Path folder;

    private static MutualTls tls;

    @BeforeAll
    static void certificates() throws Exception {
        tls = new MutualTls(folder);
    }

    @Override
    protected MemoryNodeServerSettings.Builder server() {
        return tls.server();
    }

    @Override
    protected TcpFabricSettings client() {
        return tls.client();
    }
}
