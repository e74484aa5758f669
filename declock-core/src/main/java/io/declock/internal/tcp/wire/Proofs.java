// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** Proofs that one side knows a secret without sending it: HMAC-SHA-256 over the contributions of both sides. Thread-safe. */
public final class Proofs {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String ALGORITHM = "HmacSHA256";

    private Proofs() {}

    /** Returns unpredictable random bytes. */
    public static byte[] nonce() {
        byte[] nonce = new byte[Wire.SECRET_BYTES];
        RANDOM.nextBytes(nonce);
        return nonce;
    }

    /** Returns the key of a configured secret; the key for no secret is publicly known. */
    public static byte[] keyOf(@Nullable String secret) {
        return ("declock:" + (secret == null ? "" : secret)).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Returns a proof.
     *
     * @param key the secret
     * @param label purpose of the proof, so that a proof for one purpose is invalid for another
     * @param parts contributions of both sides, each of fixed length
     */
    public static byte[] prove(byte[] key, String label, byte[]... parts) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            mac.update(label.getBytes(StandardCharsets.US_ASCII));
            for (byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JVM must have " + ALGORITHM, e);
        }
    }

    /** Compares in constant time. */
    public static boolean same(byte[] expected, byte[] actual) {
        return MessageDigest.isEqual(expected, actual);
    }

    /** Returns the identity of a member of a memory node as bytes, for proofs. */
    public static byte[] identity(long memoryNode, int nodeId, int incarnation) {
        byte[] bytes = new byte[14];
        for (int i = 0; i < 8; i++) {
            bytes[i] = (byte) (memoryNode >>> 8 * i);
        }
        bytes[8] = (byte) nodeId;
        bytes[9] = (byte) (nodeId >>> 8);
        for (int i = 0; i < 4; i++) {
            bytes[10 + i] = (byte) (incarnation >>> 8 * i);
        }
        return bytes;
    }
}
