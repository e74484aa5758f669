// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import io.declock.TlsMaterial;
import io.declock.internal.memorynode.PredecessorAnswer;
import io.declock.internal.memorynode.PredecessorProbe;
import io.declock.internal.tcp.wire.EventLoops;
import io.declock.internal.tcp.wire.SocketAddresses;
import io.declock.internal.tcp.wire.Tls;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Asks each question on a connection of its own, on the event loops of the server and without blocking them. The other side must prove that
 * it knows a secret of this memory node.
 */
final class TcpPredecessorProbe implements PredecessorProbe {
    private final ServerContext server;
    private final EventLoops loops;
    private final @Nullable TlsMaterial tls;

    TcpPredecessorProbe(ServerContext server, EventLoops loops) {
        this.server = server;
        this.loops = loops;
        this.tls = tlsOf(server.settings().tls());
    }

    /**
     * Without client certificates, this memory node accepts every certificate of the memory node that it asks: it need not be configured to
     * trust any, the secret proves the other's identity, and this node's proof is valid only for this question. With client certificates
     * there may be no secret, and the memory node trusts a certificate authority.
     */
    static @Nullable TlsMaterial tlsOf(@Nullable TlsMaterial own) {
        if (own == null || own.parameters() != null && own.parameters().getNeedClientAuth()) {
            return own;
        }
        try {
            SSLContext trusting = SSLContext.getInstance("TLS");
            trusting.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
            return new TlsMaterial(() -> trusting, null);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JVM must have TLS", e);
        }
    }

    @Override
    public boolean isWrittenOut(String address) {
        InetSocketAddress written = SocketAddresses.parse(address);
        return written != null
                && written.getPort() != 0
                && SocketAddresses.textOf(written).equals(address);
    }

    @Override
    public void ask(String address, Consumer<PredecessorAnswer> told) {
        InetSocketAddress to = SocketAddresses.parse(address);
        if (to == null) {
            told.accept(PredecessorAnswer.nobody("'" + address + "' is no address and port"));
        } else {
            ask(to, List.copyOf(server.keys()), told);
        }
    }

    /** Asks with the first of the secrets, and with the next one if the other side does not know the first. */
    private void ask(InetSocketAddress to, List<byte[]> keys, Consumer<PredecessorAnswer> told) {
        List<byte[]> others = keys.subList(1, keys.size());
        Runnable unknownSecret = () -> {
            if (others.isEmpty()) {
                told.accept(PredecessorAnswer.nobody("the memory node there has another secret"));
            } else {
                ask(to, others, told);
            }
        };
        ProbeConnection connection = new ProbeConnection(server, keys.get(0), told, unknownSecret);
        ChannelInitializer<Channel> initializer = new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                Tls.addClient(channel.pipeline(), tls, false, to.getHostString(), to.getPort());
                channel.pipeline().addLast(connection);
            }
        };
        try {
            loops.client(loops.group(), initializer)
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) ProbeConnection.TIMEOUT.toMillis())
                    .connect(to)
                    .addListener(done -> {
                        if (!done.isSuccess()) {
                            connection.notConnected(done.cause());
                        }
                    });
        } catch (RejectedExecutionException | IllegalStateException e) {
            told.accept(PredecessorAnswer.noAnswer("the server is closed"));
        }
    }
}
