// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.internal.tcp.wire.Proofs;
import io.declock.rdma.Greetings.Peers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The proofs that both sides of a connection between compute nodes give. rdma_cm sends one message in each direction, so neither side can
 * send a random number and get an answer that covers it. The number of the attempt prevents replay: both proofs cover it, and it is
 * accepted once ({@link PeerAttempts}). docs/wire-protocol.md is the specification.
 */
final class PeerProofs {
    private PeerProofs() {}

    /** Returns a request with its proof. */
    static Peers proved(byte[] ticket, Peers request) {
        return new Peers(
                request.memoryNode(),
                request.fromNode(),
                request.fromIncarnation(),
                request.toNode(),
                request.toIncarnation(),
                request.attempt(),
                ofRequest(ticket, request));
    }

    /** Returns whether a request was made with this ticket. */
    static boolean isProved(byte[] ticket, Peers request) {
        return Proofs.same(ofRequest(ticket, request), request.proof());
    }

    /** Returns the proof of the side that accepts a request. */
    static byte[] ofAcceptance(byte[] ticket, Peers request) {
        return prove(ticket, "declock rdma peer server", request);
    }

    private static byte[] ofRequest(byte[] ticket, Peers request) {
        return Arrays.copyOf(prove(ticket, "declock rdma peer client", request), Greetings.REQUEST_PROOF_BYTES);
    }

    private static byte[] prove(byte[] ticket, String label, Peers request) {
        return Proofs.prove(
                ticket,
                label,
                Proofs.identity(request.memoryNode(), request.fromNode(), request.fromIncarnation()),
                Proofs.identity(request.memoryNode(), request.toNode(), request.toIncarnation()),
                ByteBuffer.allocate(Long.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(request.attempt())
                        .array());
    }
}
