// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import io.declock.rdma.verbs.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** One {@link FfmContext} per opened device: DiSNI compares them by identity. Thread-safe. */
@SuppressWarnings("restricted") // What the libraries return has no size until it is given one.
final class FfmContexts {
    private final LibC libc;
    private final Map<Long, FfmContext> contexts = new ConcurrentHashMap<>();

    FfmContexts(LibC libc) {
        this.libc = libc;
    }

    FfmContext of(MemorySegment pointer) throws IOException {
        FfmContext known = contexts.get(pointer.address());
        if (known != null) {
            return known;
        }
        MemorySegment struct = pointer.reinterpret(Layouts.IBV_CONTEXT.byteSize());
        LayoutCheck.context(libc, struct);
        FfmContext made = new FfmContext(struct, false);
        FfmContext raced = contexts.putIfAbsent(pointer.address(), made);
        return raced == null ? made : raced;
    }
}
