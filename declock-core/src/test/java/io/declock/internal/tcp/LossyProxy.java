// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp;

import io.declock.testing.TcpRelay;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.TimeUnit;

/** Passes on what it is sent, until it loses one direction without telling anybody. */
final class LossyProxy extends TcpRelay {
    private static final int BACKLOG = 16;
    private static final int CHUNK_BYTES = 8192;

    private volatile boolean losesTowardsServer;
    private volatile boolean losesTowardsClient;
    private volatile boolean stuck;

    /** Makes one to a server that does not listen yet, and must on {@link #target}. */
    LossyProxy() throws IOException {
        super(freePort(), BACKLOG, CHUNK_BYTES);
        begin();
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0)) {
            return free.getLocalPort();
        }
    }

    void lose(boolean towardsServer) {
        losesTowardsServer = towardsServer;
        losesTowardsClient = !towardsServer;
    }

    /** From now on nothing is read: what is written stays where it is. */
    void stopReading() {
        stuck = true;
    }

    @Override
    protected boolean carries(int bytes, boolean towardsServer) throws InterruptedException {
        while (stuck && !isClosed()) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
        return !(towardsServer ? losesTowardsServer : losesTowardsClient);
    }
}
