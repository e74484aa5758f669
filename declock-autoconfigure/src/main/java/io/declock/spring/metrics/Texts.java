// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.metrics;

import java.util.Locale;

/** How constants are written in tags and key values. */
final class Texts {
    private Texts() {}

    static String of(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '.');
    }
}
