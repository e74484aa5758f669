// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Turns the values of a {@link Guarded} into bytes and back. Implementations are thread-safe.
 *
 * @param <T> type of the values
 */
public interface ValueCodec<T> {
    /**
     * {@return the bytes of a value, at most 1,024}
     *
     * @param value the value
     */
    byte[] encode(T value);

    /**
     * {@return the value of some bytes}
     *
     * @param bytes what a holder has stored, perhaps one of another release of the application
     * @throws IllegalArgumentException if no value has these bytes
     */
    T decode(byte[] bytes);

    /**
     * {@return the codec of a type}
     *
     * @param <T> type of the values
     * @param type {@code String} or {@code Long}
     * @throws IllegalArgumentException for another type
     */
    @SuppressWarnings("unchecked") // The type is that of the codec.
    static <T> ValueCodec<T> of(Class<T> type) {
        if (type == String.class) {
            return (ValueCodec<T>) text();
        }
        if (type == Long.class) {
            return (ValueCodec<T>) number();
        }
        throw new IllegalArgumentException("there is no codec for " + type.getName()
                + ": give one, or have Jackson on the class path of a Spring application");
    }

    /** {@return a codec of texts, in UTF-8} */
    static ValueCodec<String> text() {
        return new ValueCodec<>() {
            @Override
            public byte[] encode(String value) {
                return value.getBytes(StandardCharsets.UTF_8);
            }

            @Override
            public String decode(byte[] bytes) {
                return new String(bytes, StandardCharsets.UTF_8);
            }
        };
    }

    /** {@return a codec of numbers, in eight bytes} */
    static ValueCodec<Long> number() {
        return new ValueCodec<>() {
            @Override
            public byte[] encode(Long value) {
                return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
            }

            @Override
            public Long decode(byte[] bytes) {
                if (bytes.length != Long.BYTES) {
                    throw new IllegalArgumentException("a number has 8 bytes, not " + bytes.length);
                }
                return ByteBuffer.wrap(bytes).getLong();
            }
        };
    }
}
