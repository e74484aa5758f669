// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.rdma.verbs.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One {@link FfmContext} per opened device, because DiSNI compares contexts by identity, for as long as it is used. librdmacm owns the
 * structs: it may free the struct of a removed device with the last connection id on it, and place another one at the same address.
 *
 * <p>librdmacm notices the removal of a device only when it looks for another one, and never while there is none. Until then it keeps
 * the device's files open, and the kernel waits for them. So this class closes the files of a removed device once this process no longer
 * uses it. Their descriptors then refer to /dev/null, because librdmacm will close them. Thread-safe.
 */
@SuppressWarnings("restricted") // The libraries return pointers without a size; reinterpret sets it.
final class FfmContexts {
    private static final Logger LOG = LoggerFactory.getLogger(FfmContexts.class);

    private final LibC libc;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<Long, Known> contexts = new HashMap<>();

    /** A context and the number of its users; guarded by the lock. */
    private static final class Known {
        private final FfmContext context;
        private int users;
        private boolean removed;

        private Known(FfmContext context) {
            this.context = context;
        }
    }

    FfmContexts(LibC libc) {
        this.libc = libc;
    }

    /**
     * Returns the context at an address, to which an existing connection id refers.
     *
     * @throws IOException if its struct has an unknown layout, or its device was removed
     */
    FfmContext of(MemorySegment pointer) throws IOException {
        lock.lock();
        try {
            Known known = contexts.get(pointer.address());
            if (known == null) {
                known = new Known(inspect(pointer.reinterpret(Layouts.IBV_CONTEXT.byteSize())));
                contexts.put(pointer.address(), known);
            }
            return known.context;
        } finally {
            lock.unlock();
        }
    }

    private FfmContext inspect(MemorySegment struct) throws IOException {
        LayoutCheck.context(libc, struct);
        if (libc.isDevNull(descriptor(struct, "cmd_fd"))) {
            throw new IOException("the RDMA device was removed");
        }
        return new FfmContext(struct, false);
    }

    private static int descriptor(MemorySegment struct, String field) {
        return struct.get(JAVA_INT, Layouts.offset(Layouts.IBV_CONTEXT, field));
    }

    /** Counts one more user of a context. */
    void use(FfmContext context) {
        lock.lock();
        try {
            contexts.computeIfAbsent(address(context), address -> new Known(context)).users++;
        } finally {
            lock.unlock();
        }
    }

    /** Counts a user out. After the last one, the struct is checked again if its address comes back. */
    void forget(FfmContext context) {
        lock.lock();
        try {
            Known known = contexts.get(address(context));
            if (known != null) {
                known.users--;
                endUnused(known);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Called when the device of a context was removed: its files are closed as soon as it has no users. */
    void removed(FfmContext context) {
        lock.lock();
        try {
            Known known = contexts.get(address(context));
            if (known != null) {
                known.removed = true;
                endUnused(known);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Runs with the lock held, so that no thread begins to use a context while its files are being closed. */
    @GuardedBy("lock")
    private void endUnused(Known known) {
        if (known.users > 0) {
            return;
        }
        contexts.remove(address(known.context));
        if (known.removed) {
            release(known.context.pointer(), "async_fd");
            release(known.context.pointer(), "cmd_fd");
        }
    }

    private void release(MemorySegment struct, String field) {
        int descriptor = descriptor(struct, field);
        if (descriptor < 0) {
            return;
        }
        try {
            libc.redirectToDevNull(descriptor);
        } catch (NativeCallException e) {
            LOG.warn("The files of a removed RDMA device stay open until this process ends: {}", e.getMessage());
        }
    }

    private static long address(FfmContext context) {
        return context.pointer().address();
    }
}
