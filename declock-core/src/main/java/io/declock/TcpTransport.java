// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

/** By which interface of the operating system event loops read and write TCP connections. */
public enum TcpTransport {
    /** {@link #EPOLL} where it is available, otherwise {@link #NIO}. */
    AUTO,
    /** Linux' epoll, through native code. */
    EPOLL,
    /**
     * Linux' io_uring, through native code. Needs {@code io.netty:netty-transport-native-io_uring} of Netty's version with the classifier of the platform on the class
     * path, and a kernel that allows it. Its event loops cannot poll.
     */
    IO_URING,
    /** The selectors of the Java platform. */
    NIO
}
