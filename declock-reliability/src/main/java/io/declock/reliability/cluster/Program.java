// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import java.io.InputStream;
import java.io.OutputStream;

/** A program that runs: as a process, or in a container. */
public interface Program extends AutoCloseable {
    /** Returns where its commands go. */
    OutputStream commands();

    /** Returns where its answers come from. */
    InputStream answers();

    /** Ends it without a chance to do anything: SIGKILL. Returns when it is gone. */
    void kill();

    /** Asks it to end, and waits for that. */
    void terminate();

    /** Stops it in its tracks. */
    void pause();

    /** Lets it go on. */
    void resume();

    /** Returns whether it runs, or could if it were let go on. */
    boolean isAlive();

    /** Returns what it said besides its answers, where that is kept in one piece; else nothing. */
    default String log() {
        return "";
    }

    /** Ends it if it has not ended. */
    @Override
    void close();
}
