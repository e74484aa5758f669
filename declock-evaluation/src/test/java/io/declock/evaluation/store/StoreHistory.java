// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.evaluation.data.History;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the clients of a store have seen. A value that is prepended to must be there behind what was prepended, as it was. Thread-safe. */
public final class StoreHistory implements StoreObserver {
    private final History<List<Byte>> history = new History<>();
    private final int prepended;

    /**
     * Begins with what a load puts there.
     *
     * @param prepended bytes that each prepend puts before a value; zero if they differ
     */
    public StoreHistory(CacheLoad load, int prepended) {
        this.prepended = prepended;
        load.objects(request -> history.initially(
                request.key().tag(),
                list(ObjectStore.value(
                        Math.min(load.valueBytes(), request.valueBytes()),
                        request.key().tag()))));
    }

    private static @Nullable List<Byte> list(byte @Nullable [] value) {
        if (value == null) {
            return null;
        }
        Byte[] boxed = new Byte[value.length];
        Arrays.setAll(boxed, i -> value[i]);
        return List.of(boxed);
    }

    @Override
    public void got(CacheKey key, byte @Nullable [] value, long begun, long ended) {
        history.read(key.tag(), list(value), begun, ended);
    }

    @Override
    public void wrote(long tag, byte @Nullable [] value, long begun, long ended) {
        history.written(tag, list(value), begun, ended);
    }

    public int reads() {
        return history.reads();
    }

    public void check() {
        history.check();
        if (prepended > 0) {
            history.keys().forEach(key -> checkPrepended(history.values(key)));
        }
    }

    /** A value is either new as a whole or holds the last one behind its first bytes. */
    private void checkPrepended(List<List<Byte>> values) {
        for (int i = 1; i < values.size(); i++) {
            List<Byte> value = values.get(i);
            if (value == null || isNew(value)) {
                continue;
            }
            assertThat(values.get(i - 1)).isNotNull();
            int kept = value.size() - prepended;
            assertThat(value.subList(prepended, value.size()))
                    .as("what was prepended to")
                    .isEqualTo(values.get(i - 1).subList(0, kept));
        }
    }

    private static boolean isNew(List<Byte> value) {
        long stamp = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            stamp |= (value.get(i) & 0xFFL) << i * Byte.SIZE;
        }
        return list(ObjectStore.value(value.size(), stamp)).equals(value);
    }
}
