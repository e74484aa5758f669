// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * The first bytes of a connection in each direction: magic, version, role, status and a nonce.
 *
 * @param magic {@link Wire#MAGIC}, or another value if the other side speaks another protocol
 * @param versions versions of the protocol that the sender speaks
 * @param role purpose of the connection
 * @param status 0, or the code of a {@link io.declock.spi.FabricException.Reason} for which it will be closed
 * @param nonce the sender's random bytes
 */
@SuppressWarnings("ArrayRecordComponent") // The nonce goes from the wire to the proof; preambles are never compared.
public record Preamble(int magic, Versions versions, int role, int status, byte[] nonce) {
    /** Makes one of this release. */
    public static Preamble of(int role, int status, byte[] nonce) {
        return new Preamble(Wire.MAGIC, Versions.OURS, role, status, nonce);
    }

    /** Writes it. */
    public void write(ByteBuf out) {
        out.writeIntLE(magic);
        out.writeByte(versions.newest());
        out.writeByte(versions.oldest());
        out.writeByte(role);
        out.writeByte(status);
        out.writeBytes(nonce);
    }

    /** Reads it from at least {@link Wire#PREAMBLE_BYTES} bytes. */
    public static Preamble read(FrameBody body) throws BadFrameException {
        int magic = body.i32();
        Versions versions = new Versions(body.u8(), body.u8());
        int role = body.u8();
        int status = body.u8();
        return new Preamble(magic, versions, role, status, body.bytes(Wire.SECRET_BYTES));
    }

    /** Returns the version in which both sides go on, or {@link Versions#NONE}. */
    public int version() {
        return Versions.OURS.inCommonWith(versions);
    }

    /** Returns which protocol a foreign side probably speaks, judged by its first bytes. */
    public static String guess(byte[] first) {
        String text = new String(first, StandardCharsets.ISO_8859_1);
        if (first.length >= 2 && (first[0] == 0x16 || first[0] == 0x15) && first[1] == 0x03) {
            return "TLS";
        }
        if (text.startsWith("HTTP")
                || text.startsWith("GET ")
                || text.startsWith("POST")
                || text.startsWith("HEAD")
                || text.startsWith("PUT ")
                || text.startsWith("PRI ")
                || text.startsWith("OPTI")) {
            return "HTTP";
        }
        if (text.startsWith("-ERR") || text.startsWith("*") || text.startsWith("+")) {
            return "Redis";
        }
        return text.startsWith("SSH-") ? "SSH" : "something else";
    }
}
