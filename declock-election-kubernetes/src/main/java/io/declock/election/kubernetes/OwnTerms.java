// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.election.kubernetes;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The terms that this client begins or has begun, of all memory nodes, until they are known to be over. Thread-safe. */
final class OwnTerms {
    private final Map<Key, OwnTerm> terms = new ConcurrentHashMap<>();

    private record Key(String memoryNode, long term) {}

    /** One of them, with both objects as they were last written; null if that is not known. */
    static final class OwnTerm {
        volatile @Nullable Lease lease;
        volatile @Nullable ConfigMap kept;
    }

    OwnTerm begin(String memoryNode, long term) {
        OwnTerm begun = new OwnTerm();
        terms.put(new Key(memoryNode, term), begun);
        return begun;
    }

    /** Returns a term, or null if it is not this client's, or over. */
    @Nullable
    OwnTerm find(String memoryNode, long term) {
        return terms.get(new Key(memoryNode, term));
    }

    void end(String memoryNode, long term) {
        terms.remove(new Key(memoryNode, term));
    }

    /** A term has not begun; another one of the same number may have. */
    void end(String memoryNode, long term, OwnTerm begun) {
        terms.remove(new Key(memoryNode, term), begun);
    }
}
