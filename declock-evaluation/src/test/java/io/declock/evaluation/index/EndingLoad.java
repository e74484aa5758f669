// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

import io.declock.evaluation.load.Chance;
import java.util.stream.LongStream;

/** A load whose clients end after some requests. */
public record EndingLoad(IndexLoad load, int requests) implements IndexLoad {
    @Override
    public String name() {
        return load.name();
    }

    @Override
    public LongStream keys() {
        return load.keys();
    }

    @Override
    public int scanned() {
        return load.scanned();
    }

    @Override
    public Requests requests(int client, Chance chance) {
        Requests all = load.requests(client, chance);
        int[] left = {requests};
        return () -> left[0]-- == 0 ? null : all.next();
    }
}
