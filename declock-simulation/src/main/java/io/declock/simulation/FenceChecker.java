// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Models a resource that remembers the highest token of a writer and refuses lower ones. Checks that a writer never writes again once
 * another writer has written, whatever it believes about its lease, and that a holder of the lock is never refused.
 */
final class FenceChecker {
    private static final class Resource {
        private long fence;
        private @Nullable HoldRecord last;
    }

    private final Map<String, Resource> byName = new HashMap<>();

    /** The owner of a hold uses what the lock protects: a writer writes, a reader reads. */
    void uses(HoldRecord hold) {
        Resource resource = byName.computeIfAbsent(hold.name(), name -> new Resource());
        if (!accepts(resource.fence, hold.token())) {
            if (hold.counts()) {
                throw new Violation("fence", hold + " was refused after " + resource.last);
            }
            return;
        }
        if (!hold.isExclusive()) {
            return;
        }
        HoldRecord last = resource.last;
        if (last != null && last != hold && hold.token() <= resource.fence) {
            throw new Violation("fence", hold + " wrote after " + last);
        }
        resource.last = hold;
        resource.fence = Math.max(resource.fence, hold.token());
    }

    private static boolean accepts(long fence, long token) {
        return token >= fence;
    }
}
