// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

/** One compute node's session with one memory node, from joining to loss. Thread-safe. */
public interface FabricSession {
    /** Returns what was granted at joining. */
    JoinReply joined();

    /** Returns the data plane. */
    RemoteMemory memory();

    /** Returns the control plane. */
    ControlPlane control();

    /**
     * Sends a message to a peer: directly where that works, else relayed by the memory node. At most once per call, unordered
     * against other peers, and best effort: the protocol's self-check mends what is lost.
     */
    void send(Member to, PeerMessage message);

    /** Cuts the session at once; {@link SessionListener#lost} follows unless it was called before. */
    void close();
}
