// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp;

import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.Member;
import java.net.InetAddress;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A session over TCP under a fabric that has a data plane of its own, such as RDMA: what such a fabric needs besides the session
 * itself. Thread-safe.
 */
public interface ControlSession extends FabricSession {
    /**
     * Asks the memory node for the way to its region around its processor.
     *
     * @return completes with nothing if it has none, and exceptionally if this session cannot have it
     */
    CompletionStage<Optional<DirectWay>> directWay();

    /**
     * Asks the memory node what it granted on the way that this session is connected by; for adapters' libraries that do not show what
     * came with an acceptance.
     *
     * @return completes with what the acceptance carried, and exceptionally if the session is not connected that way
     */
    CompletionStage<byte[]> directGrant();

    /** Returns the address of the memory node that this session is connected to; its name is not looked up again for it. */
    InetAddress remoteAddress();

    /** Asks the memory node for what authenticates this member to another. */
    CompletionStage<byte[]> ticketFor(Member to);

    /** Returns what such a ticket from another member to this one is. */
    byte[] ticketFrom(int nodeId, int incarnation);

    /** Ends the session because its data plane failed; the listener is told with this cause. */
    void fail(FabricException cause);

    /**
     * Where and how to connect.
     *
     * @param host address, never a name; empty or a wildcard for the {@linkplain #remoteAddress address} of the memory node itself
     * @param port port, in the port space of the way
     * @param token what to show there, once
     */
    @SuppressWarnings("ArrayRecordComponent") // Goes from the wire to whoever connects; nobody compares tokens.
    record DirectWay(String host, int port, byte[] token) {}
}
