// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.testkit.TcpProxy.Direction;
import io.declock.testkit.TcpProxy.Flow;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each fault is what it is called. */
@Timeout(60)
class TcpProxyTest {
    private static final int SHORT_MILLIS = 200;
    private static final int LONG_MILLIS = 10_000;

    private ServerSocket listener;
    private TcpProxy proxy;

    @BeforeEach
    void start() throws IOException {
        listener = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        listener.setSoTimeout(LONG_MILLIS);
        proxy = new TcpProxy(listener.getLocalPort());
    }

    @AfterEach
    void stop() throws IOException {
        proxy.close();
        listener.close();
    }

    /** Both ends of a connection through the proxy. */
    private record Pair(Socket client, Socket server) {
        void send(Direction direction, int value) throws IOException {
            (direction == Direction.FROM_CLIENT ? client : server)
                    .getOutputStream()
                    .write(value);
        }

        int receive(Direction direction, int millis) throws IOException {
            Socket to = direction == Direction.FROM_CLIENT ? server : client;
            to.setSoTimeout(millis);
            return to.getInputStream().read();
        }

        void passes(Direction direction) throws IOException {
            send(direction, 7);
            assertThat(receive(direction, LONG_MILLIS)).isEqualTo(7);
        }

        void passesNothing(Direction direction) throws IOException {
            send(direction, 8);
            assertThatThrownBy(() -> receive(direction, SHORT_MILLIS)).isInstanceOf(SocketTimeoutException.class);
        }
    }

    private Pair connect() throws IOException {
        Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
        return new Pair(client, listener.accept());
    }

    @Test
    void heldDataArrivesLater() throws IOException {
        Pair pair = connect();
        proxy.set(Flow.HELD);
        pair.passesNothing(Direction.FROM_CLIENT);
        proxy.set(Flow.OPEN);
        assertThat(pair.receive(Direction.FROM_CLIENT, LONG_MILLIS)).isEqualTo(8);
        pair.passes(Direction.FROM_SERVER);
    }

    @Test
    void aConnectionThatLosesOneDirectionIsHalfOpenUntilItIsHealed() throws IOException {
        for (Direction lost : Direction.values()) {
            Direction other = lost == Direction.FROM_CLIENT ? Direction.FROM_SERVER : Direction.FROM_CLIENT;
            Pair pair = connect();
            pair.passes(lost);
            proxy.set(lost, Flow.LOST);
            pair.passesNothing(lost);
            pair.passes(other);
            proxy.set(Flow.OPEN);
            assertThat(pair.receive(lost, LONG_MILLIS)).as("end of the stream").isEqualTo(-1);
        }
    }

    @Test
    void aConnectionThatLostNothingOutlivesTheFault() throws IOException {
        Pair pair = connect();
        proxy.set(Flow.LOST);
        proxy.set(Flow.OPEN);
        pair.passes(Direction.FROM_CLIENT);
    }

    @Test
    void oneOfSeveralConnectionsIsCut() throws IOException {
        Pair first = connect();
        Pair second = connect();
        proxy.sever(1);
        assertThat(second.receive(Direction.FROM_CLIENT, LONG_MILLIS)).isEqualTo(-1);
        first.passes(Direction.FROM_CLIENT);
        proxy.sever();
        assertThat(first.receive(Direction.FROM_CLIENT, LONG_MILLIS)).isEqualTo(-1);
    }

    @Test
    void anotherTargetIsForNewConnections() throws IOException {
        Pair former = connect();
        try (ServerSocket later = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            proxy.target(later.getLocalPort());
            assertThat(proxy.target()).isEqualTo(later.getLocalPort());
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
                    Socket server = later.accept()) {
                new Pair(client, server).passes(Direction.FROM_CLIENT);
            }
        }
        former.passes(Direction.FROM_CLIENT);
    }

    @Test
    void dataIsDelayedAndLimited() throws IOException {
        Pair pair = connect();
        proxy.delay(SHORT_MILLIS);
        long began = System.nanoTime();
        pair.passes(Direction.FROM_CLIENT);
        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(SHORT_MILLIS * 1_000_000L);
        proxy.delay(0);
        proxy.limit(10);
        began = System.nanoTime();
        pair.passes(Direction.FROM_SERVER);
        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(100_000_000L);
    }

    @Test
    void attemptsToConnectAreSwallowed() throws IOException {
        proxy.close();
        proxy = TcpProxy.withShortQueue(listener.getLocalPort());
        Pair pair = connect();
        proxy.swallow();
        assertThat(pair.receive(Direction.FROM_SERVER, LONG_MILLIS)).isEqualTo(-1);
        try (Socket socket = new Socket()) {
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.port());
            assertThatThrownBy(() -> socket.connect(address, SHORT_MILLIS)).isInstanceOf(SocketTimeoutException.class);
        }
        proxy.swallowNoMore();
        new Socket(InetAddress.getLoopbackAddress(), proxy.port()).close();
    }
}
