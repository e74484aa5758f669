// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;

/** Free ports on the loopback interface. */
public final class Ports {
    /** The loopback interface's address. */
    public static final String LOOPBACK = "127.0.0.1";

    /** These ports lie below the range from which Linux takes the ports of outgoing connections. */
    private static final int FIRST = 20_000;

    private static final int LAST = 32_000;
    private static final int ATTEMPTS = 100;
    private static final int CONNECT_MILLIS = 200;

    private static final Set<Integer> RETURNED = ConcurrentHashMap.newKeySet();

    private Ports() {}

    /**
     * Finds a port that is not in use, and that the kernel does not assign to outgoing connections: a server that is started again
     * must find its port free, and a process that connects to it meanwhile must not be connected to itself. No port is returned twice
     * in one process: a test must not find what another one left behind under its port, such as a state directory.
     */
    public static int free() {
        return free(Ports::neverReturned);
    }

    private static int neverReturned() {
        return IntStream.generate(() -> ThreadLocalRandom.current().nextInt(FIRST, LAST))
                .filter(RETURNED::add)
                .findFirst()
                .orElseThrow();
    }

    /** Finds as many free ports, all different. */
    public static List<Integer> free(int count) {
        return IntStream.generate(Ports::free).distinct().limit(count).boxed().toList();
    }

    /** Finds a free port among candidates. */
    static int free(IntSupplier candidates) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try (ServerSocket socket = new ServerSocket(candidates.getAsInt(), 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                // The port is in use.
            }
        }
        throw new IllegalStateException("no free port from " + FIRST + " to " + LAST);
    }

    /** Returns whether a server accepts connections on that port. */
    public static boolean accepts(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
