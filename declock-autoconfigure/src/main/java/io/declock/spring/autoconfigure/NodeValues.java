// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.Guarded;
import io.declock.GuardedValues;
import io.declock.LockRequest;
import io.declock.ValueCodec;
import io.declock.ValueCodecs;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The guarded values of the application's compute node that is running at the time of the call. Thread-safe. */
final class NodeValues implements GuardedValues {
    private final DecLockNode node;
    private final ValueCodecs codecs;

    NodeValues(DecLockNode node, ValueCodecs codecs) {
        this.node = node;
        this.codecs = codecs;
    }

    @Override
    public <T> Guarded<T> of(String name, Class<T> type) {
        return of(name, codecs.of(type));
    }

    @Override
    public <T> Guarded<T> of(String name, ValueCodec<T> codec) {
        return new NodeValue<>(name, codec);
    }

    private final class NodeValue<T> implements Guarded<T> {
        private final String name;
        private final ValueCodec<T> codec;

        NodeValue(String name, ValueCodec<T> codec) {
            this.name = name;
            this.codec = codec;
        }

        private Guarded<T> present() {
            return node.running().guardedValues().of(name, codec);
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Held<T> acquire() throws InterruptedException {
            return present().acquire();
        }

        @Override
        public Held<T> acquire(LockRequest request) throws InterruptedException {
            return present().acquire(request);
        }

        @Override
        public Optional<T> read() throws InterruptedException {
            return present().read();
        }

        @Override
        public Optional<T> update(Function<Optional<T>, @Nullable T> change) throws InterruptedException {
            return present().update(change);
        }

        @Override
        public String toString() {
            return "Guarded[" + name + "]";
        }
    }
}
