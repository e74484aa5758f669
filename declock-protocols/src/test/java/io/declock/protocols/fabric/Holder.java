// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import io.declock.LockMode;
import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.client.TcpFabric;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** A process that holds one lock to write and another one to read, waits for a third one, and releases none. */
final class Holder {
    static final String WRITTEN = "written";
    static final String READ = "read";
    static final String AWAITED = "awaited";

    /** What it prints when it holds its locks, and before it waits. */
    static final String READY = "holds its locks";

    private Holder() {}

    /** Runs until it is killed: the address of the memory node, and the name of the protocol. */
    public static void main(String... arguments) throws InterruptedException {
        FabricClients clients = FabricClients.join(
                LocksOfTheLiterature.named(arguments[1]),
                TcpFabric.open(TcpFabricSettings.builder().build(), new NodeCounters()),
                MemoryNodeAddress.parse(arguments[0]),
                "holder",
                Duration.ofSeconds(1),
                3);
        clients.lock(0, WRITTEN, LockMode.WRITE);
        clients.lock(1, READ, LockMode.READ);
        System.out.println(READY);
        clients.lock(2, AWAITED, LockMode.WRITE);
        new CountDownLatch(1).await();
    }
}
