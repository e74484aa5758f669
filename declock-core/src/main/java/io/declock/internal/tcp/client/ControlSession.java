// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.internal.rdma.RdmaOffer;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.Member;
import java.net.InetAddress;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A session over TCP for a fabric that has a data plane of its own, such as RDMA. Adds the requests that such a fabric needs. Thread-safe.
 */
public interface ControlSession extends FabricSession {
    /**
     * Asks the memory node for an RDMA connection to its region.
     *
     * @return completes with an empty result if it offers none, and exceptionally if this session cannot have it
     */
    CompletionStage<Optional<RdmaOffer>> rdmaOffer();

    /**
     * Asks the memory node for the data that it granted on this session's RDMA connection; for adapter libraries that do not show the
     * data of an acceptance.
     *
     * @return completes with the data of the acceptance, and exceptionally if the session has no RDMA connection
     */
    CompletionStage<byte[]> rdmaGrant();

    /** Returns the address of the memory node that this session is connected to, without another look-up of its name. */
    InetAddress remoteAddress();

    /** Asks the memory node for the ticket that authenticates this member to another. */
    CompletionStage<byte[]> ticketFor(Member to);

    /** Returns the ticket that authenticates another member to this one. */
    byte[] ticketFrom(int nodeId, int incarnation);

    /**
     * Ends the session because its data plane failed, perhaps with its memory node; the listener is notified with this cause, by {@link
     * io.declock.spi.SessionListener#brokenOff}.
     */
    void fail(FabricException cause);
}
