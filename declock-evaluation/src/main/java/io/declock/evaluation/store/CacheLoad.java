// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.store;

import io.declock.evaluation.load.Chance;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What the clients of an object store ask for. */
public interface CacheLoad {
    /** Returns its name. */
    String name();

    /** Returns how many bytes a key has at most. */
    int keyBytes();

    /** Returns how many bytes a value has at most; longer ones are cut. */
    int valueBytes();

    /** Returns how many bytes of a value a client reads at first; if the value has more, it reads again. */
    int usualValueBytes();

    /** Returns the objects that are there at first, with requests that set them. */
    void objects(Consumer<CacheRequest> each);

    /** Makes the requests of a client. */
    Requests requests(int client, Chance chance);

    /** The requests of a client, one after the other. Not thread-safe. */
    @FunctionalInterface
    interface Requests {
        /** Returns the next request, or null if there is none any more. */
        @Nullable
        CacheRequest next();
    }
}
