// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.ibm.disni.verbs.RdmaCmId;
import io.declock.internal.memorynode.DataPlane;
import io.declock.internal.memorynode.MemoryNodeSession;
import io.declock.spi.FabricException;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One session's resources on a memory node's adapter: a token until it is used, then a queue pair, in a protection domain with its own
 * registration of the region. Cutting destroys all of them before it reports that it is done. Belongs to the connection manager's thread,
 * except {@link #cut(Runnable)} and {@link #granted}.
 */
final class ServedSession implements DataPlane, Connection.Owner {
    private static final Logger LOG = LoggerFactory.getLogger(ServedSession.class);

    private final RdmaServer server;
    private final @Nullable MemoryNodeSession session;
    private final String name;
    private @Nullable Connection connection;
    private boolean counted;
    private boolean cut;
    private boolean over;
    // Read by the control plane's threads.
    private volatile byte @Nullable [] granted;

    /**
     * Makes an object for a session that is not connected yet.
     *
     * @param session null for the memory node itself
     */
    ServedSession(RdmaServer server, @Nullable MemoryNodeSession session) {
        this.server = server;
        this.session = session;
        this.name = session == null
                ? "the memory node itself"
                : "compute node " + session.member().nodeId() + "."
                        + session.member().incarnation() + " ("
                        + session.member().name() + ")";
    }

    Optional<MemoryNodeSession> session() {
        return Optional.ofNullable(session);
    }

    /** Accepts the session's connection request. */
    void accept(RdmaCmId id) throws IOException {
        if (cut || connection != null || (session != null && session.isCut())) {
            throw new IOException("the session of " + name + " is over or already connected");
        }
        Connection made = new Connection(server.manager(), name, QueueSizes.PASSIVE, new byte[0], this);
        connection = made;
        made.accept(id, accepted -> {
            byte[] grant = server.grant(accepted);
            granted = grant;
            return grant;
        });
    }

    /** Returns the private data of the acceptance, null without a connection; any thread. */
    byte @Nullable [] granted() {
        return granted;
    }

    @Override
    public void established(Connection established, byte[] privateData) {
        counted = true;
        server.connected().incrementAndGet();
        LOG.debug("{} is connected by RDMA", name);
    }

    @Override
    public void ended(Connection ended, FabricException cause) {
        granted = null;
        if (counted) {
            server.connected().decrementAndGet();
        }
        LOG.debug("The RDMA connection of {} ended: {}", name, cause.getMessage());
    }

    @Override
    public void cut(Runnable done) {
        server.manager().execute(() -> end("the session is over", done));
    }

    /** Ends the connection, because the session is to have another one; {@code then} runs when none of its verbs can be executed any more. */
    void end(Runnable then) {
        end("the session has another connection", then);
    }

    private void end(String why, Runnable then) {
        cut = true;
        server.revoke(this);
        Connection current = connection;
        if (current == null) {
            over(then);
        } else {
            current.endThen(new FabricException(why), () -> over(then));
        }
    }

    private void over(Runnable then) {
        over = true;
        server.forget(this);
        then.run();
    }

    /** Returns whether none of its verbs can be executed any more, and it takes no connection. */
    boolean isOver() {
        return over;
    }
}
