// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.spi.FabricContract;
import io.declock.spi.FabricRig;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The whole contract over mutual TLS with a secret. */
@Tag("slow")
class TcpTlsFabricTest extends FabricContract {
    @TempDir
    private static Path folder;

    private static MutualTls tls;

    @BeforeAll
    static void certificates() throws Exception {
        tls = new MutualTls(folder);
    }

    @Override
    protected FabricRig start(MemoryNodeSettings settings) {
        return new TcpRig(settings, time, tls.server(), tls.client());
    }
}
