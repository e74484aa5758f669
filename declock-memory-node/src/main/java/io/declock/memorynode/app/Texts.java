// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import io.declock.internal.election.Standing.Role;
import java.util.Locale;

/** Numbers for people. */
final class Texts {
    private static final long KILO = 1024;

    private Texts() {}

    /** Returns a size with a unit. */
    static String bytes(long bytes) {
        if (bytes < KILO) {
            return bytes + " bytes";
        }
        if (bytes < KILO * KILO) {
            return number(bytes, KILO) + " KiB";
        }
        if (bytes < KILO * KILO * KILO) {
            return number(bytes, KILO * KILO) + " MiB";
        }
        return number(bytes, KILO * KILO * KILO) + " GiB";
    }

    private static String number(long bytes, long unit) {
        return String.format(Locale.ROOT, "%.1f", (double) bytes / unit);
    }

    /** Returns a candidate's part, for people. */
    static String role(Role role) {
        return switch (role) {
            case SERVING -> "serving";
            case STANDING_BY -> "standing by";
            case DEPOSED -> "deposed";
        };
    }
}
