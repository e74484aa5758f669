// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.ControlFrames;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.internal.tcp.wire.FrameConnection;
import io.declock.internal.tcp.wire.FrameType;
import io.declock.internal.tcp.wire.HandshakeFrames;
import io.declock.internal.tcp.wire.Phase;
import io.declock.internal.tcp.wire.Preamble;
import io.declock.internal.tcp.wire.Proofs;
import io.declock.internal.tcp.wire.Versions;
import io.declock.internal.tcp.wire.Wire;
import io.declock.spi.FabricException.Reason;
import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.codec.DecoderException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connection by which a memory node asks another one a question. Belongs to its event loop.
 *
 * <p>The proofs have labels of their own. With the labels of a session, a process that listens at the address in place of a memory node
 * could forward the proof to one, and join as a compute node.
 */
abstract class AskingConnection extends FrameConnection {
    /** The labels of both sides' proofs on such a connection. */
    static final String ASKING = "declock asking memory node";

    static final String ASKED = "declock asked memory node";

    /** Time limit for connecting, and for the answer. */
    static final Duration TIMEOUT = Duration.ofSeconds(1);

    private final byte[] key;
    private final byte[] nonce = Proofs.nonce();
    private byte[] otherNonce = {};
    private boolean answered;

    AskingConnection(byte[] key) {
        super(false);
        this.key = key;
    }

    /** Writes the question. */
    abstract void ask();

    /** Takes the answer, which is of any type that the phase allows. */
    abstract void answer(FrameType type, FrameBody body) throws BadFrameException;

    /** No memory node that knows the secret is at the address. */
    abstract void nobody(String detail);

    /** It is not known who is at the address. */
    abstract void noAnswer(String detail);

    /** The other side does not know this secret. */
    abstract void unknownSecret();

    /** Returns whether no end was told before; one is from now on. */
    final boolean isFirst() {
        boolean first = !answered;
        answered = true;
        return first;
    }

    private void tellNobody(String detail) {
        if (isFirst()) {
            nobody(detail);
        }
    }

    private void tellNoAnswer(String detail) {
        if (isFirst()) {
            noAnswer(detail);
        }
    }

    /**
     * Handles a failed connection attempt. Only a refused connection proves that no process listens there; an unreachable network proves
     * nothing.
     */
    void notConnected(@Nullable Throwable cause) {
        boolean refused = cause instanceof ConnectException && !(cause instanceof ConnectTimeoutException);
        String detail = cause == null ? "not connected" : String.valueOf(cause.getMessage());
        if (refused) {
            tellNobody(detail);
        } else {
            tellNoAnswer(detail);
        }
    }

    @Override
    protected void opened() {
        Preamble.of(Wire.ROLE_MEMORY_NODE, 0, nonce).write(out());
        channel().eventLoop().schedule(this::giveUp, TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void giveUp() {
        if (isOpen()) {
            fail(null);
        }
    }

    @Override
    protected void preamble(Preamble preamble) throws BadFrameException {
        if (preamble.version() == Versions.NONE) {
            tellNobody("the process there speaks " + preamble.versions() + " of the protocol");
            fail(null);
            return;
        }
        if (preamble.status() != 0 || preamble.role() != Wire.ROLE_MEMORY_NODE) {
            throw new BadFrameException(
                    "a preamble of this version with status " + preamble.status() + " and role " + preamble.role());
        }
        otherNonce = preamble.nonce();
        enter(Phase.ASKING_MEMORY_NODE_AWAITS_PROOF);
        HandshakeFrames.writeAuth(out(), Proofs.prove(key, ASKING, nonce, otherNonce));
    }

    @Override
    protected void frame(FrameType type, FrameBody body) throws BadFrameException {
        switch (type) {
            case AUTHENTICATED -> authenticated(body);
            case REFUSED -> refused(body);
            // The other side is about to end or is busy: it is asked again.
            case GOODBYE -> fail(null);
            default -> {
                answer(type, body);
                fail(null);
            }
        }
    }

    private void authenticated(FrameBody body) throws BadFrameException {
        byte[] proof = HandshakeFrames.readAuthenticated(body);
        if (prove(Proofs.prove(key, ASKED, nonce, otherNonce), proof)) {
            ask();
        } else {
            tellNobody("the process there does not know the secret");
            fail(null);
        }
    }

    private void refused(FrameBody body) throws BadFrameException {
        ControlFrames.Refusal refusal = ControlFrames.readRefused(body);
        if (refusal.request() != 0 || refusal.reason() != Reason.BAD_SECRET) {
            throw new BadFrameException(
                    "a refusal of request " + refusal.request() + " for " + refusal.reason() + " before the proof");
        }
        if (isFirst()) {
            unknownSecret();
        }
        fail(null);
    }

    @Override
    protected void foreign(String guess) {
        tellNobody("the process there speaks " + guess);
    }

    @Override
    protected void badFrame(BadFrameException cause) {
        tellNobody("the process there sent a bad frame: " + cause.getMessage());
    }

    @Override
    protected void ended(@Nullable Throwable cause) {
        if (cause instanceof DecoderException) {
            tellNobody("TLS with the process there failed: " + cause.getMessage());
        } else {
            tellNoAnswer("the connection ended without an answer");
        }
    }
}
