// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.rdma.verbs.Completions;
import org.jspecify.annotations.Nullable;

/** Takes completions for a queue that is made after it, as its completion queue is needed to make it. */
final class LaterQueue implements CompletionLoop.Handler {
    volatile @Nullable VerbQueue queue;

    @Override
    public void completed(Completions completions, int i) {
        queue.completed(completions, i);
    }

    @Override
    public boolean isBusy() {
        VerbQueue made = queue;
        return made != null && made.isBusy();
    }

    @Override
    public boolean needsEvent() {
        VerbQueue made = queue;
        return made != null && made.needsEvent();
    }
}
