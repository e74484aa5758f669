// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.TcpFabricSettings;
import io.declock.TcpTransport;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spi.FabricContract;
import io.declock.spi.FabricRig;
import io.declock.testkit.Needs;
import io.netty.channel.uring.IoUring;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The whole contract over io_uring. */
@Tag("slow")
class IoUringFabricTest extends FabricContract {
    @BeforeAll
    static void needsIoUring() {
        Needs.that(IoUring::isAvailable, "IoUringFabricTest", "a kernel that allows io_uring");
    }

    @Override
    protected FabricRig start(MemoryNodeSettings settings) {
        return new TcpRig(
                settings,
                time,
                MemoryNodeServerSettings.builder().transport(TcpTransport.IO_URING),
                TcpFabricSettings.builder().transport(TcpTransport.IO_URING).build());
    }
}
