// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.testing.TcpRelay;
import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.TimeUnit;

/** A way to a server of this machine that carries only so many bytes a second, and that can be cut without anybody being told. */
final class SlowProxy extends TcpRelay {
    private static final int BACKLOG = 16;
    private static final int CHUNK_BYTES = 512;
    private static final int RECEIVE_BYTES = 4096;

    private volatile long bytesPerSecond = Long.MAX_VALUE;
    private volatile boolean cut;

    SlowProxy(int target) throws IOException {
        super(target, BACKLOG, CHUNK_BYTES);
        begin();
    }

    /** Sets how much goes through, in each direction. */
    void limit(long bytes) {
        bytesPerSecond = bytes;
    }

    /** From now on everything is lost, and connections stay open. */
    void cut() {
        cut = true;
    }

    @Override
    protected void accepted(Socket client) throws IOException {
        // Little room, so that what is not carried is felt by whoever writes.
        client.setReceiveBufferSize(RECEIVE_BYTES);
    }

    @Override
    protected boolean carries(int bytes, boolean towardsServer) throws InterruptedException {
        long rate = bytesPerSecond;
        if (rate != Long.MAX_VALUE) {
            TimeUnit.NANOSECONDS.sleep(bytes * TimeUnit.SECONDS.toNanos(1) / rate);
        }
        return !cut;
    }
}
