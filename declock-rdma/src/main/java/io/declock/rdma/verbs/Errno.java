// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.verbs;

/** The error numbers of Linux that verbs return, see errno(3); the numbers of x86-64 and AArch64. */
public enum Errno {
    /** Operation not permitted. */
    EPERM(1, "Operation not permitted"),
    /** Interrupted system call. */
    EINTR(4, "Interrupted system call"),
    /** Input/output error. */
    EIO(5, "Input/output error"),
    /** Try again. */
    EAGAIN(11, "Resource temporarily unavailable"),
    /** No memory, or over the limit of locked memory. */
    ENOMEM(12, "Cannot allocate memory"),
    /** Permission denied. */
    EACCES(13, "Permission denied"),
    /** Bad address. */
    EFAULT(14, "Bad address"),
    /** Busy. */
    EBUSY(16, "Device or resource busy"),
    /** No such device. */
    ENODEV(19, "No such device"),
    /** Invalid argument. */
    EINVAL(22, "Invalid argument"),
    /** No space: a queue is full. */
    ENOSPC(28, "No space left on device"),
    /** Function not implemented. */
    ENOSYS(38, "Function not implemented"),
    /** Not supported. */
    EOPNOTSUPP(95, "Operation not supported"),
    /** Address in use. */
    EADDRINUSE(98, "Address already in use"),
    /** Address not available. */
    EADDRNOTAVAIL(99, "Cannot assign requested address"),
    /** Network unreachable. */
    ENETUNREACH(101, "Network is unreachable"),
    /** Connection reset. */
    ECONNRESET(104, "Connection reset by peer"),
    /** Timed out. */
    ETIMEDOUT(110, "Connection timed out"),
    /** Refused. */
    ECONNREFUSED(111, "Connection refused"),
    /** No route. */
    EHOSTUNREACH(113, "No route to host");

    private final int number;
    private final String text;

    Errno(int number, String text) {
        this.number = number;
        this.text = text;
    }

    /** Returns the number. */
    public int number() {
        return number;
    }

    /** Returns the number of the error whose text a message contains, {@link #EIO}'s if there is none. */
    public static int numberIn(String message) {
        for (Errno errno : values()) {
            if (message.contains(errno.text)) {
                return errno.number;
            }
        }
        return EIO.number;
    }

    /** Returns text, name and number of an error. */
    public static String describe(int number) {
        for (Errno errno : values()) {
            if (errno.number == number) {
                return errno.text + " (" + errno + ", errno " + number + ")";
            }
        }
        return "error (errno " + number + ")";
    }
}
