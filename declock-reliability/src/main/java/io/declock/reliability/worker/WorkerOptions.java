// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.worker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of a worker. picocli implements this interface. */
public interface WorkerOptions {
    /** Returns its name. */
    @Option(names = "--name", required = true)
    String name();

    /** Returns the address of its memory node, or of several with commas between them. */
    @Option(names = "--memory-node", required = true)
    String memoryNode();

    /** Returns the lease that it requests; heartbeats and margin follow from it. */
    @Option(names = "--lease", required = true)
    Duration lease();

    /** Returns the file to which its critical sections are written. */
    @Option(names = "--ledger", required = true)
    Path ledger();

    /** Returns the JDBC URL of the accounts. */
    @Option(names = "--database", required = true)
    String database();

    /** Returns host and port to advertise to peers, null for the address of the connection to the memory node. */
    @Option(names = "--peer-address")
    @Nullable
    String peerAddress();

    /** Returns the port to listen on for peers, 0 for any. */
    @Option(names = "--peer-port", defaultValue = "0")
    int peerPort();

    /** Returns the secret that its memory nodes know, null for none. */
    @Option(names = "--secret")
    @Nullable
    String secret();

    /** Returns the file, usually a named pipe, to read commands from; null for standard input. */
    @Option(names = "--commands")
    @Nullable
    Path commands();

    /** Returns the file, usually a named pipe, to write answers to; null for standard output. */
    @Option(names = "--answers")
    @Nullable
    Path answers();

    /** Returns a list, which can be added to, of the arguments that no worker can do without. */
    static List<String> arguments(String name, String memoryNode, Duration lease, Path ledger, String database) {
        return new ArrayList<>(List.of(
                "--name=" + name,
                "--memory-node=" + memoryNode,
                "--lease=" + lease,
                "--ledger=" + ledger,
                "--database=" + database));
    }
}
