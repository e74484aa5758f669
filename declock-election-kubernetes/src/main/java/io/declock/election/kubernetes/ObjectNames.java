// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.election.kubernetes;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Pattern;

/** Names of objects, which have fewer characters than the ids of memory nodes. Stateless. */
final class ObjectNames {
    private static final Pattern PLAIN = Pattern.compile("[a-z0-9]([a-z0-9-]{0,98}[a-z0-9])?");
    private static final int READABLE = 60;
    private static final int DIGITS = 16;

    private ObjectNames() {}

    /** Returns the name for a memory node: its id if that can be a name, else what can be read of it and a digest. */
    static String of(String prefix, String memoryNode) {
        if (PLAIN.matcher(memoryNode).matches()) {
            return prefix + memoryNode;
        }
        String readable = memoryNode.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        String part = readable.substring(0, Math.min(READABLE, readable.length()));
        // A dot, which no plain name has: two ids cannot meet.
        return prefix + "x" + part.replaceAll("-+$", "") + "." + digest(memoryNode);
    }

    private static String digest(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest).substring(0, DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
