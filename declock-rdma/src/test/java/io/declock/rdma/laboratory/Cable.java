// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;

/** The network between two machines. It passes each frame on from one to the other, unless it is cut. Thread-safe. */
final class Cable implements AutoCloseable {
    /** Longer than any frame. */
    private static final int MOST_BYTES = 1 << 16;

    private final DatagramSocket toFirst;
    private final DatagramSocket toSecond;
    private volatile boolean cut;

    /**
     * Lays the cable.
     *
     * @param first port of the first machine on the loopback interface
     * @param second port of the second machine
     */
    Cable(int first, int second) throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        toFirst = new DatagramSocket(0, loopback);
        toSecond = new DatagramSocket(0, loopback);
        pass(toFirst, toSecond, new InetSocketAddress(loopback, second), "cable from the first machine");
        pass(toSecond, toFirst, new InetSocketAddress(loopback, first), "cable from the second machine");
    }

    /** Returns the port to which the first machine sends. */
    int firstEnd() {
        return toFirst.getLocalPort();
    }

    /** Returns the port to which the second machine sends. */
    int secondEnd() {
        return toSecond.getLocalPort();
    }

    /** Cuts the cable, or mends it. */
    void cut(boolean nowCut) {
        cut = nowCut;
    }

    private void pass(DatagramSocket from, DatagramSocket to, InetSocketAddress machine, String name) {
        Thread.ofPlatform().daemon().name(name).start(() -> {
            DatagramPacket frame = new DatagramPacket(new byte[MOST_BYTES], MOST_BYTES);
            while (!from.isClosed()) {
                try {
                    frame.setLength(MOST_BYTES);
                    from.receive(frame);
                    if (!cut) {
                        to.send(new DatagramPacket(frame.getData(), frame.getLength(), machine));
                    }
                } catch (SocketException closed) {
                    // A machine that has ended refuses frames, and the end of this object closes both sockets.
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            }
        });
    }

    @Override
    public void close() {
        toFirst.close();
        toSecond.close();
    }
}
