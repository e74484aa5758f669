// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

/** One compute node's session with one memory node, from joining to loss. Thread-safe. */
public interface FabricSession {
    /** {@return the memory node's answer to the join request} */
    JoinReply joined();

    /** {@return the data plane} */
    RemoteMemory memory();

    /** {@return the control plane} */
    ControlPlane control();

    /**
     * Sends a message to a peer: directly where that works, else relayed by the memory node. Each call delivers at most once, messages to
     * different peers are unordered, and delivery is best effort: the protocol's self-check makes up for lost messages.
     *
     * @param to the receiver
     * @param message the message
     */
    void send(Member to, PeerMessage message);

    /**
     * {@return for how many nanoseconds the session has had no connection, 0 while it has one} It may get another one before its lease runs
     * out; until then, verbs and requests wait.
     */
    default long disconnectedNanos() {
        return 0;
    }

    /** Cuts the session at once; {@link SessionListener#lost} follows unless it was called before. */
    void close();
}
