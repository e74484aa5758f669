// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.testing.TcpRelay;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A way to a server of this machine that can be made to swallow attempts to connect, as a broken network does: its accept queue is
 * full, and the kernel drops who knocks.
 */
final class SwallowingProxy extends TcpRelay {
    private static final int BACKLOG = 1;
    private static final int CHUNK_BYTES = 8192;
    private static final int CONNECT_MILLIS = 250;
    private static final int MOST_FILLERS = 50;
    private static final int ENOUGH = 3;

    private final List<Socket> fillers = new ArrayList<>();
    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition healed = mutex.newCondition();
    private boolean swallows;

    SwallowingProxy(int target) throws IOException {
        super(target, BACKLOG, CHUNK_BYTES);
        begin();
    }

    /** Breaks every connection; who connects from now on hears nothing. */
    void swallow() throws IOException {
        mutex.lock();
        try {
            swallows = true;
        } finally {
            mutex.unlock();
        }
        // One that was not let in may have met a machine that stood still.
        for (int ignored = 0; ignored < ENOUGH; ignored = fill() ? 0 : ignored + 1) {
            if (fillers.size() > MOST_FILLERS) {
                throw new IllegalStateException("this kernel lets everybody in although nobody is accepted");
            }
        }
        sever();
    }

    private boolean fill() throws IOException {
        Socket filler = new Socket();
        try {
            filler.connect(address(), CONNECT_MILLIS);
            fillers.add(filler);
            return true;
        } catch (SocketTimeoutException e) {
            filler.close();
            return false;
        }
    }

    /** Lets connections through again. */
    void heal() throws IOException {
        for (Socket filler : fillers) {
            filler.close();
        }
        fillers.clear();
        mutex.lock();
        try {
            swallows = false;
            healed.signalAll();
        } finally {
            mutex.unlock();
        }
    }

    @Override
    protected void accepted(Socket client) {
        // One is let in before the queue is full.
        mutex.lock();
        try {
            while (swallows) {
                healed.awaitUninterruptibly();
            }
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void close() {
        super.close();
        try {
            heal();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
