// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.time.Duration;

/** Checks single values of settings. Each check throws an {@link InvalidSettingException} that says what to do. */
public final class SettingChecks {
    private static final String CORRECT = "Correct it, or remove it to use the default.";
    private static final long NANOS_PER_MILLI = 1_000_000;

    private SettingChecks() {}

    /**
     * Refuses zero and negative durations.
     *
     * @param setting name of the setting
     * @param value its value
     */
    public static void positive(String setting, Duration value) {
        notNegative(setting, value);
        if (value.isZero()) {
            throw new InvalidSettingException(setting, text(value), "it must be longer than zero", CORRECT);
        }
    }

    /**
     * Refuses shorter durations.
     *
     * @param setting name of the setting
     * @param value its value
     * @param least the shortest duration allowed
     */
    public static void atLeast(String setting, Duration value, Duration least) {
        if (value.compareTo(least) < 0) {
            throw new InvalidSettingException(setting, text(value), "it must be at least " + text(least), CORRECT);
        }
    }

    /**
     * Refuses negative durations.
     *
     * @param setting name of the setting
     * @param value its value
     */
    public static void notNegative(String setting, Duration value) {
        if (value.isNegative()) {
            throw new InvalidSettingException(setting, text(value), "it is negative", CORRECT);
        }
    }

    /**
     * Refuses lower numbers.
     *
     * @param setting name of the setting
     * @param value its value
     * @param least the lowest number allowed
     */
    public static void atLeast(String setting, int value, int least) {
        if (value < least) {
            throw new InvalidSettingException(setting, String.valueOf(value), "it must be at least " + least, CORRECT);
        }
    }

    /**
     * Refuses numbers outside of a range.
     *
     * @param setting name of the setting
     * @param value its value
     * @param least the lowest number allowed
     * @param most the highest number allowed
     */
    public static void between(String setting, int value, int least, int most) {
        if (value < least || value > most) {
            throw new InvalidSettingException(
                    setting, String.valueOf(value), "it must be from " + least + " to " + most, CORRECT);
        }
    }

    /**
     * Refuses numbers that are no powers of two, or outside of a range.
     *
     * @param setting name of the setting
     * @param value its value
     * @param least the lowest number allowed
     * @param most the highest number allowed
     */
    public static void powerOfTwo(String setting, int value, int least, int most) {
        if (value < least || value > most || Integer.bitCount(value) != 1) {
            throw new InvalidSettingException(
                    setting, String.valueOf(value), "it must be a power of two from " + least + " to " + most, CORRECT);
        }
    }

    /**
     * {@return a duration as people write it in properties: {@code 300ms}}
     *
     * @param value the duration
     */
    public static String text(Duration value) {
        return value.getNano() % NANOS_PER_MILLI == 0
                ? value.getSeconds() * 1000 + value.getNano() / NANOS_PER_MILLI + "ms"
                : value.toString();
    }
}
