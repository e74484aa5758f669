// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import io.declock.internal.memorynode.PredecessorAnswer;
import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.internal.tcp.wire.FrameType;
import io.declock.internal.tcp.wire.HandshakeFrames;
import java.util.function.Consumer;

/** The connection by which a memory node asks another one for its identity. Belongs to its event loop. */
final class ProbeConnection extends AskingConnection {
    private final ServerContext server;
    private final Consumer<PredecessorAnswer> told;
    private final Runnable unknownSecret;

    ProbeConnection(ServerContext server, byte[] key, Consumer<PredecessorAnswer> told, Runnable unknownSecret) {
        super(key);
        this.server = server;
        this.told = told;
        this.unknownSecret = unknownSecret;
    }

    @Override
    void ask() {
        HandshakeFrames.writeIdentify(out(), server.identity());
    }

    @Override
    void answer(FrameType type, FrameBody body) throws BadFrameException {
        if (type != FrameType.IDENTITY) {
            throw new BadFrameException(type + " in answer to IDENTIFY");
        }
        HandshakeFrames.Identity identity = HandshakeFrames.readIdentity(body);
        if (isFirst()) {
            told.accept(PredecessorAnswer.memoryNode(identity.id(), identity.incarnation()));
        }
    }

    @Override
    void nobody(String detail) {
        told.accept(PredecessorAnswer.nobody(detail));
    }

    @Override
    void noAnswer(String detail) {
        told.accept(PredecessorAnswer.noAnswer(detail));
    }

    @Override
    void unknownSecret() {
        unknownSecret.run();
    }

    @Override
    protected void unexpected(Throwable cause) {
        server.unexpected(this, cause);
    }
}
