// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import io.declock.internal.election.Candidacy;
import io.declock.internal.memorynode.MemberList;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.RdmaAccess;
import io.declock.internal.memorynode.Term;
import io.declock.internal.time.Clock;
import io.declock.internal.time.TimerService;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * The port of one candidate of a memory node: a {@link MemoryNodeServer} with a new life of the memory node in each of its terms, and a
 * {@link StandbyServer} otherwise. Its calls must not overlap, except for those that only read.
 */
public final class CandidateServer implements Candidacy.Host, AutoCloseable {
    private final String memoryNode;
    private final Lives lives;
    private final StandbyServer.Says says;
    private final Clock clock;
    private final TimerService timer;
    private MemoryNodeServerSettings settings;
    private @Nullable StandbyServer standby;
    private @Nullable MemoryNodeServer server;
    private @Nullable Life life;
    private volatile int port;

    /** Makes lives of the memory node. */
    public interface Lives {
        /** Makes a new one, with empty memory, and gives access to it. */
        Life begin(Term term, MemberList list);

        /** The last one is over: no compute node can reach it. */
        void ended();
    }

    /**
     * A life of the memory node.
     *
     * @param node the memory node
     * @param rdma access to its region by RDMA, null for none
     */
    public record Life(MemoryNode node, @Nullable RdmaAccess rdma) {}

    /** Makes one that does not listen yet. */
    public CandidateServer(
            String memoryNode,
            MemoryNodeServerSettings settings,
            Lives lives,
            StandbyServer.Says says,
            Clock clock,
            TimerService timer) {
        this.memoryNode = memoryNode;
        this.settings = settings;
        this.lives = lives;
        this.says = says;
        this.clock = clock;
        this.timer = timer;
    }

    /** Returns the port it listens on, which stays the same. */
    public int port() {
        return port;
    }

    /**
     * {@inheritDoc}
     *
     * @throws UncheckedIOException if the address cannot be bound
     */
    @Override
    public void serve(Term term, MemberList list) {
        Life next = lives.begin(term, list);
        life = next;
        closeStandby();
        try {
            server = MemoryNodeServer.start(next.node(), settings, next.rdma());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * {@inheritDoc}
     *
     * @throws UncheckedIOException if the address cannot be bound
     */
    @Override
    public void standBy() {
        endLife();
        if (standby != null) {
            return;
        }
        try {
            StandbyServer next = StandbyServer.start(memoryNode, settings, says, clock, timer);
            standby = next;
            port = next.port();
            settings = settings.onPort(port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void endLife() {
        Life ending = life;
        life = null;
        if (ending == null) {
            return;
        }
        ending.node().depose();
        MemoryNodeServer closing = server;
        server = null;
        if (closing != null) {
            closing.close();
        }
        ending.node().close();
        RdmaAccess rdma = ending.rdma();
        if (rdma != null) {
            rdma.close();
        }
        lives.ended();
    }

    private void closeStandby() {
        StandbyServer closing = standby;
        standby = null;
        if (closing != null) {
            closing.close();
        }
    }

    /** Ends what it does, and listens no more. */
    @Override
    public void close() {
        endLife();
        closeStandby();
    }
}
