// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.internal.tcp.wire.FrameType;
import io.declock.spi.FabricException;
import io.declock.spi.NodeListState;

/** What a connection to a memory node is opened for: to join, or to resume a session. Called on the connection's event loop. */
interface Opening {
    /** The connection is open; the handshake begins. */
    void connected(SessionConnection connection);

    /** Both sides have proved that they know the secret: sends the request. */
    void proved(SessionConnection connection);

    /** Takes the answer, JOINED or RESUMED, and returns the session that the connection serves from now on. */
    TcpSession answered(SessionConnection connection, FrameType type, FrameBody body) throws BadFrameException;

    /**
     * Takes what comes before JOINED: how far the memory node is with its list of memory nodes.
     *
     * @throws BadFrameException if the session exists already
     */
    default void nodes(NodeListState state) throws BadFrameException {
        throw new BadFrameException("a list of memory nodes before a session is resumed");
    }

    /** The connection serves the session now. */
    void complete(TcpSession session);

    /**
     * The connection has ended before the answer.
     *
     * @param isFinal whether the memory node, or this process, wants it so
     */
    void failed(FabricException why, boolean isFinal);

    /** Returns what was attempted, for messages: "joining memory node ...". */
    String title();
}
