// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** An etcd of one member on the loopback interface, which is deleted when it is closed. Not thread-safe. */
public final class EtcdServer implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Path home;
    private final List<Integer> ports = Ports.free(2);
    private ChildProcess process;
    private int starts;

    private EtcdServer(Path home) throws IOException, InterruptedException {
        this.home = home;
        this.process = launch();
    }

    /** Starts one; the test is aborted, or fails, if etcd is not installed. */
    public static EtcdServer start() throws IOException, InterruptedException {
        Needs.program("etcd", "A test with etcd", "etcd-server");
        Path home = Files.createTempDirectory("declock-etcd-");
        try {
            return new EtcdServer(home);
        } catch (IOException | InterruptedException | RuntimeException e) {
            Directories.delete(home);
            throw e;
        }
    }

    private ChildProcess launch() throws IOException, InterruptedException {
        String peer = "http://" + Ports.LOOPBACK + ":" + ports.get(1);
        List<String> command = List.of(
                "etcd",
                "--name",
                "tests",
                "--data-dir",
                home.resolve("data").toString(),
                "--listen-client-urls",
                address(),
                "--advertise-client-urls",
                address(),
                "--listen-peer-urls",
                peer,
                "--initial-advertise-peer-urls",
                peer,
                "--initial-cluster",
                "tests=" + peer);
        ChildProcess launched =
                ChildProcess.logged("etcd", new ProcessBuilder(command), home.resolve("log-" + ++starts));
        try {
            launched.awaitPort(ports.get(0), PATIENCE);
            return launched;
        } catch (IllegalStateException | InterruptedException e) {
            launched.close();
            throw e;
        }
    }

    /** Returns the address for clients. */
    public String address() {
        return "http://" + Ports.LOOPBACK + ":" + ports.get(0);
    }

    /** Returns its process. */
    public ChildProcess process() {
        return process;
    }

    /** Ends it by SIGKILL; its data stay. */
    public void kill() {
        process.kill();
    }

    /** Starts it again with its data, on the same ports. */
    public void startAgain() throws IOException, InterruptedException {
        process = launch();
    }

    @Override
    public void close() {
        process.kill();
        process.close();
        Directories.delete(home);
    }
}
