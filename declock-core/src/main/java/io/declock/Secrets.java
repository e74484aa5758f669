// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks shared secrets. The messages never show a secret. */
public final class Secrets {
    /** Fewest characters of a secret. A shorter one can be guessed from an observed handshake. */
    public static final int MIN_LENGTH = 16;

    /** Most secrets that a memory node accepts at a time: the current and the previous one. */
    public static final int MOST = 2;

    private static final String NOT_SHOWN = "(not shown)";

    private Secrets() {}

    /**
     * {@return the secret, or null for none: if it is null or empty}
     *
     * @param secret the secret, or null
     * @throws InvalidSettingException if it is shorter than {@value #MIN_LENGTH} characters
     */
    public static @Nullable String checked(@Nullable String secret) {
        if (secret == null || secret.isEmpty()) {
            return null;
        }
        if (secret.length() < MIN_LENGTH) {
            throw new InvalidSettingException(
                    "secret",
                    NOT_SHOWN,
                    "the secret has " + secret.length() + " characters and needs at least " + MIN_LENGTH,
                    "Make one with 'openssl rand -base64 24' and set it on every side.");
        }
        return secret;
    }

    /**
     * {@return the secrets without the empty ones}
     *
     * @param secrets the secrets, of which some may be empty
     * @throws InvalidSettingException if one is too short, or there are more than {@value #MOST}
     */
    public static List<String> checked(List<String> secrets) {
        List<String> good = new ArrayList<>();
        for (String secret : secrets) {
            String checked = checked(secret);
            if (checked != null) {
                good.add(checked);
            }
        }
        if (good.size() > MOST) {
            throw new InvalidSettingException(
                    "secrets",
                    NOT_SHOWN,
                    "there are " + good.size() + " secrets, and a memory node accepts " + MOST
                            + " at a time: the current and the previous one",
                    "Leave the older ones out.");
        }
        return List.copyOf(good);
    }
}
