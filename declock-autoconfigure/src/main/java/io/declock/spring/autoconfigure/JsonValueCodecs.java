// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.ValueCodec;
import io.declock.ValueCodecs;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Guarded values as JSON, by the application's mapper. */
final class JsonValueCodecs implements ValueCodecs {
    private final JsonMapper mapper;

    JsonValueCodecs(JsonMapper mapper) {
        this.mapper = mapper;
    }

    @Override
    public <T> ValueCodec<T> of(Class<T> type) {
        return new ValueCodec<>() {
            @Override
            public byte[] encode(T value) {
                try {
                    return mapper.writeValueAsBytes(value);
                } catch (JacksonException e) {
                    throw new IllegalArgumentException("a " + type.getName() + " cannot be written as JSON", e);
                }
            }

            @Override
            public T decode(byte[] bytes) {
                try {
                    return mapper.readValue(bytes, type);
                } catch (JacksonException e) {
                    throw new IllegalArgumentException("what was stored is not the JSON of a " + type.getName(), e);
                }
            }
        };
    }
}
