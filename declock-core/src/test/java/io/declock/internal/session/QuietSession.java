// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.spi.ControlPlane;
import io.declock.spi.FabricSession;
import io.declock.spi.HeartbeatReply;
import io.declock.spi.JoinReply;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.NodeSet;
import io.declock.spi.PeerMessage;
import io.declock.spi.RemoteMemory;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A session with a memory node that answers nothing by itself. For one thread at a time. */
final class QuietSession implements FabricSession {
    static final Duration LEASE = Duration.ofSeconds(1);

    /** The memory node's own address. */
    static final String ADDRESS = "192.0.2.7:7420";

    private final int incarnation;
    private final Supplier<CompletableFuture<HeartbeatReply>> heartbeats;
    private volatile boolean closed;
    /** The lease that it was granted. */
    Duration lease = LEASE;

    /** For how long it has had no connection. */
    long disconnectedNanos;

    /** The answer to a declaration of the set of memory nodes. */
    final CompletableFuture<Object> declared = new CompletableFuture<>();

    Runnable whenAsked = () -> {};
    Runnable whenClosed = () -> {};

    QuietSession(int incarnation, Supplier<CompletableFuture<HeartbeatReply>> heartbeats) {
        this.incarnation = incarnation;
        this.heartbeats = heartbeats;
    }

    /** What it says at the join. */
    NodeSet nodeSet = NodeSet.NONE;

    final List<NodeSet> declarations = new ArrayList<>();
    Runnable whenDeclared = () -> {};

    boolean isClosed() {
        return closed;
    }

    @Override
    public JoinReply joined() {
        whenAsked.run();
        Member self = new Member(1, incarnation, "here", "self");
        return new JoinReply(
                "mn",
                5,
                ADDRESS,
                1,
                incarnation,
                8,
                1 << 20,
                lease.toNanos(),
                0,
                new Membership(1, List.of(self)),
                nodeSet);
    }

    @Override
    public long disconnectedNanos() {
        return disconnectedNanos;
    }

    @Override
    public RemoteMemory memory() {
        return chain -> {};
    }

    /** Every answer but those to heartbeats and declarations is still to come. */
    @Override
    public ControlPlane control() {
        return (ControlPlane) Proxy.newProxyInstance(
                ControlPlane.class.getClassLoader(),
                new Class<?>[] {ControlPlane.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "heartbeat" -> heartbeats.get();
                    case "declareNodeSet" -> {
                        whenDeclared.run();
                        declarations.add((NodeSet) args[0]);
                        yield declared;
                    }
                    default -> new CompletableFuture<Object>();
                });
    }

    @Override
    public void send(Member to, PeerMessage message) {}

    @Override
    public void close() {
        closed = true;
        whenClosed.run();
    }
}
