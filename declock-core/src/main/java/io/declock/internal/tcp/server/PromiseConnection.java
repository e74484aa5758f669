// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.internal.tcp.wire.FrameType;
import io.declock.internal.tcp.wire.HandshakeFrames;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connection by which the candidate that serves asks another one not to take over. Belongs to its event loop. */
final class PromiseConnection extends AskingConnection {
    private static final Logger log = LoggerFactory.getLogger(PromiseConnection.class);

    private final HandshakeFrames.Promise promise;
    private final Runnable promised;
    private final Runnable unknownSecret;

    /**
     * Makes one.
     *
     * @param promised runs if the other side promises
     * @param unknownSecret runs if the other side does not know the secret
     */
    PromiseConnection(byte[] key, HandshakeFrames.Promise promise, Runnable promised, Runnable unknownSecret) {
        super(key);
        this.promise = promise;
        this.promised = promised;
        this.unknownSecret = unknownSecret;
    }

    @Override
    void ask() {
        HandshakeFrames.writePromise(out(), promise);
    }

    @Override
    void answer(FrameType type, FrameBody body) throws BadFrameException {
        if (type != FrameType.PROMISED) {
            throw new BadFrameException(type + " in answer to PROMISE");
        }
        if (HandshakeFrames.readPromised(body) && isFirst()) {
            promised.run();
        }
    }

    @Override
    void nobody(String detail) {
        // Without an answer there is no promise: the candidate may be elected on another way.
    }

    @Override
    void noAnswer(String detail) {}

    @Override
    void unknownSecret() {
        unknownSecret.run();
    }

    @Override
    protected void unexpected(Throwable cause) {
        log.error("Closing the connection to another candidate, because of an unexpected exception", cause);
    }
}
