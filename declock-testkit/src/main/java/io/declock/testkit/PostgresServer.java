// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A PostgreSQL that is made from the programs of an installed one, listens on the loopback interface only and is deleted when it is closed.
 * PostgreSQL refuses to run as root, so root runs it as the user that its package has made. Not thread-safe.
 */
public final class PostgresServer implements AutoCloseable {
    private static final Path DEBIAN = Path.of("/usr/lib/postgresql");
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int POLL_MILLIS = 20;
    private static final String USER = "tests";

    private final Path programs;
    private final Path home;
    private final List<String> prefix;
    private final int port = Ports.free();
    private final String password = UUID.randomUUID().toString();
    private ChildProcess process;

    private PostgresServer(Path programs, Path home) throws IOException, InterruptedException {
        this.programs = programs;
        this.home = home;
        boolean root = "root".equals(System.getProperty("user.name"));
        this.prefix =
                root ? List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--") : List.of();
        Path passwordFile = Files.writeString(home.resolve("password"), password);
        if (root) {
            run(List.of("chown", "-R", "postgres", home.toString()));
        }
        List<String> initdb = new ArrayList<>(prefix);
        initdb.addAll(List.of(
                programs.resolve("initdb").toString(),
                "-D",
                home.resolve("data").toString(),
                "-U",
                USER,
                "-A",
                "scram-sha-256",
                "--pwfile=" + passwordFile,
                "-E",
                "UTF8",
                "--no-locale",
                "--no-sync"));
        run(initdb);
        this.process = launch();
    }

    /** Makes and starts one; the test is aborted, or fails, if PostgreSQL is not installed. */
    public static PostgresServer start() throws IOException, InterruptedException {
        Needs.that(
                PostgresServer::isInstalled,
                "A test with PostgreSQL",
                "PostgreSQL's programs initdb and postgres (Debian: apt-get install postgresql)");
        return startInstalled();
    }

    /** Returns whether PostgreSQL's programs are on this machine. */
    public static boolean isInstalled() {
        return programs().isPresent();
    }

    /**
     * Makes and starts one, for programs that have no test to abort.
     *
     * @throws java.util.NoSuchElementException if PostgreSQL is not installed
     */
    public static PostgresServer startInstalled() throws IOException, InterruptedException {
        Path programs = programs().orElseThrow();
        Path home = Files.createTempDirectory("declock-postgres-");
        try {
            return new PostgresServer(programs, home);
        } catch (IOException | InterruptedException | RuntimeException e) {
            Directories.delete(home);
            throw e;
        }
    }

    private static Optional<Path> programs() {
        try (Stream<Path> versions = Files.isDirectory(DEBIAN) ? Files.list(DEBIAN) : Stream.<Path>empty()) {
            Stream<Path> path = Stream.of(
                            System.getenv().getOrDefault("PATH", "").split(java.io.File.pathSeparator, -1))
                    .map(Path::of);
            return Stream.concat(versions.map(version -> version.resolve("bin")), path)
                    .filter(directory -> Files.isExecutable(directory.resolve("initdb"))
                            && Files.isExecutable(directory.resolve("postgres")))
                    .toList()
                    .stream()
                    .findFirst();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private void run(List<String> command) throws IOException, InterruptedException {
        ChildProcess.Finished finished =
                ChildProcess.run(new ProcessBuilder(command).directory(home.toFile()), PATIENCE);
        if (finished.status() != 0) {
            throw new IOException(String.join(" ", command) + " failed: " + finished.text());
        }
    }

    private ChildProcess launch() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(
                programs.resolve("postgres").toString(),
                "-D",
                home.resolve("data").toString(),
                "-p",
                Integer.toString(port),
                "-h",
                Ports.LOOPBACK,
                "-k",
                "",
                "-F"));
        // Not below its home, where root's files would be in the way of PostgreSQL's user.
        Path log = Files.createTempFile("declock-postgres-", ".log");
        ChildProcess launched =
                ChildProcess.logged("postgres", new ProcessBuilder(command).directory(home.toFile()), log);
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (!launched.log().contains("ready to accept connections")) {
            if (!launched.isAlive() || System.nanoTime() - until > 0) {
                String said = launched.log();
                launched.close();
                throw new IOException("PostgreSQL did not start: " + said);
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        Files.delete(log);
        return launched;
    }

    /** Returns the URL for JDBC. */
    public String url() {
        return url(port);
    }

    /** Returns the JDBC URL for a port from which a proxy leads here. */
    public String url(int proxyPort) {
        return "jdbc:postgresql://" + Ports.LOOPBACK + ":" + proxyPort + "/postgres";
    }

    /** Returns its port. */
    public int port() {
        return port;
    }

    /** Returns the user. */
    public String user() {
        return USER;
    }

    /** Returns the password. */
    public String password() {
        return password;
    }

    /** Returns the CPU time that it and its present processes, one for each connection, have used. */
    public Duration cpuTime() {
        return process.descendants()
                .map(child -> child.info().totalCpuDuration().orElse(Duration.ZERO))
                .reduce(process.cpuTime(), Duration::plus);
    }

    /** Stops it at once, as after a crash: what was committed survives. */
    public void kill() throws IOException, InterruptedException {
        // QUIT ends PostgreSQL's child processes too, which would keep a later start from its memory.
        run(List.of("kill", "-QUIT", Long.toString(process.pid())));
        process.awaitEnd(PATIENCE);
    }

    /** Starts it again with its data, on the same port. */
    public void startAgain() throws IOException, InterruptedException {
        process = launch();
    }

    @Override
    public void close() {
        try {
            if (process.isAlive()) {
                kill();
            }
        } catch (IOException e) {
            process.kill();
        } catch (InterruptedException e) {
            process.kill();
            Thread.currentThread().interrupt();
        }
        process.close();
        Directories.delete(home);
    }
}
