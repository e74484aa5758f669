// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.store;

import io.declock.evaluation.load.Chance;
import java.util.function.Consumer;

/** A load whose clients end after some requests. */
public record EndingCacheLoad(CacheLoad load, int requests) implements CacheLoad {
    @Override
    public String name() {
        return load.name();
    }

    @Override
    public int keyBytes() {
        return load.keyBytes();
    }

    @Override
    public int valueBytes() {
        return load.valueBytes();
    }

    @Override
    public int usualValueBytes() {
        return load.usualValueBytes();
    }

    @Override
    public void objects(Consumer<CacheRequest> each) {
        load.objects(each);
    }

    @Override
    public Requests requests(int client, Chance chance) {
        Requests all = load.requests(client, chance);
        int[] left = {requests};
        return () -> left[0]-- == 0 ? null : all.next();
    }
}
