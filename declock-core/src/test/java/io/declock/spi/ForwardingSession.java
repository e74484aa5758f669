// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

/** Passes everything on to another session; a subclass changes what a test is about. Its verbs go through {@link #post}. */
public class ForwardingSession implements FabricSession, RemoteMemory {
    private final FabricSession real;

    /** Makes one that changes nothing. */
    protected ForwardingSession(FabricSession real) {
        this.real = real;
    }

    @Override
    public JoinReply joined() {
        return real.joined();
    }

    @Override
    public RemoteMemory memory() {
        return this;
    }

    @Override
    public void post(VerbChain chain) {
        real.memory().post(chain);
    }

    @Override
    public ControlPlane control() {
        return real.control();
    }

    @Override
    public void send(Member to, PeerMessage message) {
        real.send(to, message);
    }

    @Override
    public void close() {
        real.close();
    }
}
