// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.worker;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;

/**
 * Reads a file that another process appends to, waiting for more data at its end, until it is closed. Through a shared file one can talk
 * to a container even when its network is cut.
 */
public final class Tail extends InputStream {
    private static final int POLL_MILLIS = 2;

    private final InputStream in;
    private volatile boolean closed;

    /** Opens the file, which must exist. */
    public Tail(Path file) throws IOException {
        this.in = Channels.newInputStream(FileChannel.open(file, StandardOpenOption.READ));
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        while (!closed) {
            int count = in.read(buffer, offset, length);
            if (count > 0) {
                return count;
            }
            try {
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return -1;
            }
        }
        return -1;
    }

    @Override
    public void close() throws IOException {
        closed = true;
        in.close();
    }
}
