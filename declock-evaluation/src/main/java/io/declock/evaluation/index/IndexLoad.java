// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

import io.declock.evaluation.load.Chance;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** What the clients of a tree ask for. */
public interface IndexLoad {
    /** Returns its name. */
    String name();

    /** Returns the keys that are there at first, in ascending order; the value of each is its negative. */
    LongStream keys();

    /** Returns how many entries a scan reads. */
    int scanned();

    /** Makes the requests of a client. */
    Requests requests(int client, Chance chance);

    /** The requests of a client, one after the other. Not thread-safe. */
    @FunctionalInterface
    interface Requests {
        /** Returns the next request, or null if there is none any more. */
        @Nullable
        IndexRequest next();
    }
}
