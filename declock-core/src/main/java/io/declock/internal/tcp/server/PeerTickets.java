// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import io.declock.internal.tcp.wire.Proofs;
import io.declock.spi.Member;

/**
 * Keys by which compute nodes authenticate each other. Every member gets a key of its own at join. A ticket from one member to another is
 * derived from the other's key and the first one's identity: only this memory node and the two members can know it, and the receiver
 * derives it without a request. Thread-safe.
 */
final class PeerTickets {
    private final byte[] master = Proofs.nonce();
    private final long memoryNode;

    PeerTickets(long memoryNodeIncarnation) {
        this.memoryNode = memoryNodeIncarnation;
    }

    /** Returns the key of a member. */
    byte[] keyOf(Member member) {
        return Proofs.prove(master, "declock member key", identity(member));
    }

    /** Returns the ticket with which {@code from} authenticates itself to {@code to}. */
    byte[] ticket(Member from, Member to) {
        return Proofs.prove(keyOf(to), "declock ticket", identity(from));
    }

    private byte[] identity(Member member) {
        return Proofs.identity(memoryNode, member.nodeId(), member.incarnation());
    }
}
