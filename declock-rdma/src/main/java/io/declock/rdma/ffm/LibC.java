// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.declock.rdma.ffm.NativeLibrary.Function;
import io.declock.rdma.verbs.Errno;
import io.declock.rdma.verbs.Layouts;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What of libc is needed to wait for file descriptors: poll(2), eventfd(2), fcntl(2), read(2), write(2), close(2). Thread-safe.
 */
final class LibC {
    static final int F_GETFD = 1;
    static final int F_SETFL = 4;
    static final int O_NONBLOCK = 0x800;
    static final int EFD_NONBLOCK = 0x800;
    static final int EFD_CLOEXEC = 0x80000;
    static final short POLLIN = 1;

    private final Function poll;
    private final Function eventfd;
    private final Function fcntl;
    private final Function read;
    private final Function write;
    private final Function close;

    private LibC(NativeLibrary library) throws IOException {
        poll = library.bindInt("poll", ADDRESS, JAVA_LONG, JAVA_INT);
        eventfd = library.bindInt("eventfd", JAVA_INT, JAVA_INT);
        fcntl = library.bindInt("fcntl", JAVA_INT, JAVA_INT, JAVA_LONG);
        // Their results of type ssize_t are at most 8 here, hence fit an int.
        read = library.bindInt("read", JAVA_INT, ADDRESS, JAVA_LONG);
        write = library.bindInt("write", JAVA_INT, ADDRESS, JAVA_LONG);
        close = library.bindInt("close", JAVA_INT);
    }

    static LibC load() throws IOException {
        return new LibC(NativeLibrary.libc());
    }

    /** Makes reads of a descriptor return at once when there is nothing. */
    void nonBlocking(int fd) throws NativeCallException {
        fcntl.orMinusOne(fd, F_SETFL, (long) O_NONBLOCK);
    }

    /** Returns whether a descriptor is open. */
    boolean isOpen(int fd) {
        try {
            fcntl.orMinusOne(fd, F_GETFD, 0L);
            return true;
        } catch (NativeCallException e) {
            return false;
        }
    }

    int eventfd() throws NativeCallException {
        return eventfd.orMinusOne(0, EFD_NONBLOCK | EFD_CLOEXEC);
    }

    void close(int fd) throws NativeCallException {
        close.orMinusOne(fd);
    }

    /** Makes an eventfd readable. */
    void raise(int eventfd) throws NativeCallException {
        try (Arena arena = Arena.ofConfined()) {
            write.orMinusOne(eventfd, arena.allocateFrom(JAVA_LONG, 1), (long) Long.BYTES);
        }
    }

    /** Makes an eventfd unreadable; returns whether it was readable. */
    boolean lower(int eventfd) throws NativeCallException {
        try (Arena arena = Arena.ofConfined()) {
            return read.orMinusOne(eventfd, arena.allocate(JAVA_LONG), (long) Long.BYTES) > 0;
        } catch (NativeCallException e) {
            if (e.errno() == Errno.EAGAIN.number()) {
                return false;
            }
            throw e;
        }
    }

    /**
     * Waits until one of two descriptors is readable.
     *
     * @param timeoutMillis -1 for without end
     * @return whether one is; false also when a signal came
     */
    boolean awaitReadable(int first, int second, int timeoutMillis) throws NativeCallException {
        try (Arena arena = Arena.ofConfined()) {
            long size = Layouts.POLLFD.byteSize();
            MemorySegment fds = arena.allocate(Layouts.POLLFD, 2);
            pollFor(fds, first);
            pollFor(fds.asSlice(size), second);
            return poll.orMinusOne(fds, 2L, timeoutMillis) > 0;
        } catch (NativeCallException e) {
            if (e.errno() == Errno.EINTR.number()) {
                return false;
            }
            throw e;
        }
    }

    private static void pollFor(MemorySegment pollfd, int fd) {
        pollfd.set(JAVA_INT, Layouts.offset(Layouts.POLLFD, "fd"), fd);
        pollfd.set(java.lang.foreign.ValueLayout.JAVA_SHORT, Layouts.offset(Layouts.POLLFD, "events"), POLLIN);
    }
}
