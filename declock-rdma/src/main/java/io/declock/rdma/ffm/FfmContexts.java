// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.declock.rdma.verbs.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One {@link FfmContext} per opened device, as DiSNI compares them by identity, for as long as somebody uses it: librdmacm, whose they
 * are, may free the struct of a removed device with the last connection id on it, and put that of another one at the same address.
 *
 * <p>librdmacm notices that a device was removed when it looks for another one, and not at all while there is none; until then it keeps
 * the device's files open, for which the kernel waits. So the files of a removed device are closed here, once nobody of this process
 * uses it. Their numbers go to the file that reads nothing, because librdmacm will close them. Thread-safe.
 */
@SuppressWarnings("restricted") // What the libraries return has no size until it is given one.
final class FfmContexts {
    private static final Logger LOG = LoggerFactory.getLogger(FfmContexts.class);

    private final LibC libc;
    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by the lock.
    private final Map<Long, Known> contexts = new HashMap<>();

    /** A context and who uses it; guarded by the lock. */
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
     * Returns the context at an address, which a connection id that is not destroyed leads to.
     *
     * @throws IOException if its struct is none that is known here, or its device was removed
     */
    FfmContext of(MemorySegment pointer) throws IOException {
        lock.lock();
        try {
            Known known = contexts.get(pointer.address());
            if (known == null) {
                known = new Known(look(pointer.reinterpret(Layouts.IBV_CONTEXT.byteSize())));
                contexts.put(pointer.address(), known);
            }
            return known.context;
        } finally {
            lock.unlock();
        }
    }

    private FfmContext look(MemorySegment struct) throws IOException {
        LayoutCheck.context(libc, struct);
        if (libc.isNothing(descriptor(struct, "cmd_fd"))) {
            throw new IOException("the RDMA device was removed");
        }
        return new FfmContext(struct, false);
    }

    private static int descriptor(MemorySegment struct, String field) {
        return struct.get(JAVA_INT, Layouts.offset(Layouts.IBV_CONTEXT, field));
    }

    /** One more uses a context. */
    void use(FfmContext context) {
        lock.lock();
        try {
            contexts.computeIfAbsent(address(context), address -> new Known(context)).users++;
        } finally {
            lock.unlock();
        }
    }

    /** One of those that use a context does not any more; the last one has the struct looked at anew if its address comes again. */
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

    /** The device of a context was removed: its files are closed as soon as nobody uses it. */
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

    /** With the lock: nobody may begin to use a context while its files are being closed. */
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
            libc.becomeNothing(descriptor);
        } catch (NativeCallException e) {
            LOG.warn("A removed RDMA device waits for the end of this process: {}", e.getMessage());
        }
    }

    private static long address(FfmContext context) {
        return context.pointer().address();
    }
}
