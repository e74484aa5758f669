// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.soul;

/** What a message says. Those to the directory come first, then those from it, then those between clients. */
enum Kind {
    /** A client asks for the line: whether to write. */
    REQUEST,
    /** The queue holder passes line and queue on: its version, with cargo. */
    TRANSFER,
    /** A writer that has waited for readers has the line now. */
    OWNER,
    /** To the queue holder: a request that comes after those in its queue. */
    FORWARD,
    /** To the queue holder: its transfer was denied. */
    DENIED,
    /** To a reader: it has the line. The writer that it is to tell of its release, or {@link SoulClient#NOBODY}, with cargo. */
    SHARED,
    /** To a writer: it has the line, with cargo. */
    EXCLUSIVE,
    /** To a writer: it has the queue, and the line after so many readers, with cargo. */
    AFTER_READERS,
    /** To a sharer: the line is to be given up, and which writer is to be told. */
    INVALIDATE,
    /** From a sharer to a writer: it has given the line up. */
    INVALIDATED;

    private static final Kind[] ALL = values();

    static Kind of(int kind) {
        return ALL[kind];
    }
}
