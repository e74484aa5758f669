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
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The functions of libc that wait for file descriptors and release them: poll(2), eventfd(2), fcntl(2), read(2), write(2), close(2),
 * open(2), dup3(2). Thread-safe.
 */
final class LibC {
    static final int F_GETFD = 1;
    static final int F_SETFL = 4;
    static final int O_NONBLOCK = 0x800;
    static final int EFD_NONBLOCK = 0x800;
    static final int EFD_CLOEXEC = 0x80000;
    static final int O_RDONLY = 0;
    static final int O_CLOEXEC = 0x80000;
    static final short POLLIN = 1;

    private static final Path DEV_NULL = Path.of("/dev/null");
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private final Function poll;
    private final Function eventfd;
    private final Function fcntl;
    private final Function read;
    private final Function write;
    private final Function close;
    private final Function open;
    private final Function dup3;

    private LibC(NativeLibrary library) throws IOException {
        poll = library.bindInt("poll", ADDRESS, JAVA_LONG, JAVA_INT);
        eventfd = library.bindInt("eventfd", JAVA_INT, JAVA_INT);
        fcntl = library.bindInt("fcntl", JAVA_INT, JAVA_INT, JAVA_LONG);
        // The results of type ssize_t are at most 8 here, so they fit into an int.
        read = library.bindInt("read", JAVA_INT, ADDRESS, JAVA_LONG);
        write = library.bindInt("write", JAVA_INT, ADDRESS, JAVA_LONG);
        close = library.bindInt("close", JAVA_INT);
        open = library.bindInt("open", ADDRESS, JAVA_INT);
        dup3 = library.bindInt("dup3", JAVA_INT, JAVA_INT, JAVA_INT);
    }

    static LibC load() throws IOException {
        return new LibC(NativeLibrary.libc());
    }

    /** Makes reads of a descriptor fail with EAGAIN at once when no data is available. */
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

    /**
     * Closes the file of a descriptor but keeps the descriptor open: it then refers to /dev/null, open for reading only. A library that
     * still uses the descriptor gets errors, and may close it.
     */
    void redirectToDevNull(int fd) throws NativeCallException {
        try (Arena arena = Arena.ofConfined()) {
            // Opened for reading only: otherwise writes to it would appear to succeed.
            int devNull = open.orMinusOne(arena.allocateFrom(DEV_NULL.toString()), O_RDONLY | O_CLOEXEC);
            try {
                dup3.orMinusOne(devNull, fd, O_CLOEXEC);
            } finally {
                close(devNull);
            }
        }
    }

    /** Returns whether a descriptor refers to /dev/null; false also if that cannot be read. */
    boolean isDevNull(int fd) {
        try {
            return DEV_NULL.equals(Files.readSymbolicLink(DESCRIPTORS.resolve(Integer.toString(fd))));
        } catch (IOException e) {
            return false;
        }
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
            return read.orNotYet(eventfd, arena.allocate(JAVA_LONG), (long) Long.BYTES);
        }
    }

    /**
     * Waits until one of two descriptors is readable.
     *
     * @param timeoutMillis -1 to wait without limit
     * @return whether one is readable; false also after a signal
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
