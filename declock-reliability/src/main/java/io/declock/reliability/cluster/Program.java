// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import java.io.InputStream;
import java.io.OutputStream;

/** A running program: a process, or a container. */
public interface Program extends AutoCloseable {
    /** Returns the stream for its commands. */
    OutputStream commands();

    /** Returns the stream of its answers. */
    InputStream answers();

    /** Kills it with SIGKILL. Returns when it has ended. */
    void kill();

    /** Asks it to end, and waits for that. */
    void terminate();

    /** Stops it at once. */
    void pause();

    /** Lets it continue. */
    void resume();

    /** Returns whether it has not ended; it may be stopped. */
    boolean isAlive();

    /** Returns its output other than answers if it is kept, else an empty text. */
    default String log() {
        return "";
    }

    /** Ends it if it still runs. */
    @Override
    void close();
}
