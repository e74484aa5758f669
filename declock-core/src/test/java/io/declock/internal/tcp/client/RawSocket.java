// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.internal.tcp.wire.FrameConnection;
import io.declock.internal.tcp.wire.HandshakeFrames;
import io.declock.internal.tcp.wire.Preamble;
import io.declock.internal.tcp.wire.Proofs;
import io.declock.internal.tcp.wire.Versions;
import io.declock.internal.tcp.wire.Wire;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A plain socket that sends what it likes. */
final class RawSocket implements AutoCloseable {
    private final Socket socket = new Socket();

    RawSocket(int port) throws IOException {
        socket.setSoTimeout(10_000);
        socket.connect(new InetSocketAddress("127.0.0.1", port), 10_000);
    }

    Socket socket() {
        return socket;
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }

    void send(String text) throws IOException {
        send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    void sendFrame(int type, byte[] body) throws IOException {
        ByteBuf out = Unpooled.buffer();
        out.writeIntLE(1 + body.length).writeByte(type).writeBytes(body);
        send(ByteBufUtil.getBytes(out));
    }

    void send(FrameConnection.Frame frame) throws IOException {
        ByteBuf out = Unpooled.buffer();
        frame.write(out);
        send(ByteBufUtil.getBytes(out));
    }

    byte[] read(int bytes) throws IOException {
        return socket.getInputStream().readNBytes(bytes);
    }

    /** Reads until the other side closes. */
    byte[] readAll() throws IOException {
        InputStream in = socket.getInputStream();
        return in.readAllBytes();
    }

    /** Sends the preamble of a compute node that speaks these versions, and returns the answer. */
    byte[] preamble(Versions versions, byte[] nonce) throws IOException {
        return preamble(versions, Wire.ROLE_SESSION, nonce);
    }

    /** Sends a preamble and returns the answer. */
    byte[] preamble(Versions versions, int role, byte[] nonce) throws IOException {
        ByteBuf out = Unpooled.buffer();
        new Preamble(Wire.MAGIC, versions, role, 0, nonce).write(out);
        send(ByteBufUtil.getBytes(out));
        return read(Wire.PREAMBLE_BYTES);
    }

    /** The random parts of both sides' preambles. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Nonces(byte[] client, byte[] server) {}

    /** Goes through the handshake up to being authenticated. */
    Nonces authenticate(String secret) throws IOException {
        return authenticate(Versions.OURS, secret);
    }

    /** Goes through the handshake of a compute node that speaks these versions up to being authenticated. */
    Nonces authenticate(Versions versions, String secret) throws IOException {
        byte[] nonce = Proofs.nonce();
        byte[] answer = preamble(versions, nonce);
        byte[] serverNonce = java.util.Arrays.copyOfRange(answer, 8, Wire.PREAMBLE_BYTES);
        byte[] proof = Proofs.prove(Proofs.keyOf(secret), "declock client", nonce, serverNonce);
        send(out -> HandshakeFrames.writeAuth(out, proof));
        read(4 + 1 + Wire.SECRET_BYTES);
        return new Nonces(nonce, serverNonce);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
