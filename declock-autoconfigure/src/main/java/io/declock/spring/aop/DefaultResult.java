// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import java.lang.reflect.Array;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.CollectionFactory;
import org.springframework.core.ResolvableType;

/** The empty value of a type: null, zero, false, or an empty object. Stateless. */
final class DefaultResult {
    private static final Map<Class<?>, Object> IMMUTABLE = Map.ofEntries(
            Map.entry(boolean.class, false),
            Map.entry(char.class, (char) 0),
            Map.entry(byte.class, (byte) 0),
            Map.entry(short.class, (short) 0),
            Map.entry(int.class, 0),
            Map.entry(long.class, 0L),
            Map.entry(float.class, 0f),
            Map.entry(double.class, 0d),
            Map.entry(Optional.class, Optional.empty()),
            Map.entry(OptionalInt.class, OptionalInt.empty()),
            Map.entry(OptionalLong.class, OptionalLong.empty()),
            Map.entry(OptionalDouble.class, OptionalDouble.empty()));

    private DefaultResult() {}

    /** Returns the default of {@code type}; a new object where it can be modified or consumed. */
    static @Nullable Object of(ResolvableType resolvable) {
        Class<?> type = resolvable.resolve(Object.class);
        Object immutable = IMMUTABLE.get(type);
        if (immutable != null) {
            return immutable;
        }
        if (type.isArray()) {
            return Array.newInstance(type.getComponentType(), 0);
        }
        if (type == Stream.class) {
            return Stream.empty();
        }
        if (type == IntStream.class) {
            return IntStream.empty();
        }
        if (type == LongStream.class) {
            return LongStream.empty();
        }
        if (type == DoubleStream.class) {
            return DoubleStream.empty();
        }
        return type == Object.class ? null : collection(type);
    }

    private static @Nullable Object collection(Class<?> type) {
        if (Iterable.class.isAssignableFrom(type) && type.isAssignableFrom(List.class)) {
            return Collections.emptyList();
        }
        if (type == Set.class) {
            return new HashSet<>();
        }
        if (type == Map.class) {
            return new HashMap<>();
        }
        if (CollectionFactory.isApproximableCollectionType(type)) {
            return CollectionFactory.createCollection(type, 0);
        }
        if (CollectionFactory.isApproximableMapType(type)) {
            return CollectionFactory.createMap(type, 0);
        }
        return null;
    }
}
