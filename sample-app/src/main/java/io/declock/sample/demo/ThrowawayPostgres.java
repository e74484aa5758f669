// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A PostgreSQL that is made for one run from the programs of an installed one, listens on the loopback interface only and is
 * deleted afterwards. PostgreSQL refuses to run as root, so root runs it as the user that its package has made.
 */
final class ThrowawayPostgres implements AutoCloseable {
    private static final Path DEBIAN = Path.of("/usr/lib/postgresql");
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String USER = "shop";

    private final Path home;
    private final ChildProcess server;
    private final int port;
    private final String password;

    private ThrowawayPostgres(Path home, ChildProcess server, int port, String password) {
        this.home = home;
        this.server = server;
        this.port = port;
        this.password = password;
    }

    /** Returns the directory of PostgreSQL's programs, of the newest version if there are several. */
    static Optional<Path> programs() {
        String path = System.getenv().getOrDefault("PATH", "");
        Stream<Path> onPath =
                Arrays.stream(path.split(java.io.File.pathSeparator)).map(Path::of);
        return Stream.concat(debian(), onPath)
                .filter(directory -> Files.isExecutable(directory.resolve("initdb"))
                        && Files.isExecutable(directory.resolve("postgres")))
                .findFirst();
    }

    private static Stream<Path> debian() {
        if (!Files.isDirectory(DEBIAN)) {
            return Stream.empty();
        }
        try (Stream<Path> versions = Files.list(DEBIAN)) {
            return versions
                    .sorted(Comparator.comparingInt(ThrowawayPostgres::version).reversed())
                    .map(version -> version.resolve("bin"))
                    .toList()
                    .stream();
        } catch (IOException e) {
            return Stream.empty();
        }
    }

    private static int version(Path directory) {
        String name = directory.getFileName().toString();
        return name.chars().allMatch(Character::isDigit) ? Integer.parseInt(name) : 0;
    }

    static ThrowawayPostgres start(Guard guard) {
        Path programs = programs()
                .orElseThrow(() ->
                        new DemoFailedException("--postgres needs PostgreSQL's programs (initdb, postgres): on the"
                                + " PATH, or in /usr/lib/postgresql as Debian's package postgresql puts them"));
        Path home = directory();
        guard.watch(home);
        try {
            String password = UUID.randomUUID().toString();
            int port = freePort();
            Path passwordFile = Files.writeString(home.resolve("password"), password);
            List<String> prefix = asUser(home);
            Path data = home.resolve("data");
            run(
                    home,
                    prefix,
                    List.of(
                            programs.resolve("initdb").toString(),
                            "-D",
                            data.toString(),
                            "-U",
                            USER,
                            "-A",
                            "scram-sha-256",
                            "--pwfile=" + passwordFile,
                            "-E",
                            "UTF8",
                            "--no-locale",
                            "--no-sync"));
            List<String> command = new ArrayList<>(prefix);
            command.addAll(List.of(
                    programs.resolve("postgres").toString(),
                    "-D",
                    data.toString(),
                    "-p",
                    Integer.toString(port),
                    "-h",
                    "127.0.0.1",
                    "-k",
                    "",
                    "-F"));
            // QUIT also ends PostgreSQL's own child processes and releases its shared memory.
            ChildProcess server = ChildProcess.start(guard, "QUIT", "postgres", home, command, Map.of());
            ThrowawayPostgres postgres = new ThrowawayPostgres(home, server, port, password);
            try {
                server.await(
                        "that it is ready",
                        PATIENCE,
                        () -> server.lastLines().contains("ready to accept") ? "ready" : "");
            } catch (DemoFailedException e) {
                server.stop(PATIENCE);
                throw e;
            }
            return postgres;
        } catch (IOException e) {
            Directories.delete(home);
            throw new DemoFailedException("Cannot make a PostgreSQL in " + home + ": " + e.getMessage(), e);
        } catch (DemoFailedException e) {
            Directories.delete(home);
            throw e;
        }
    }

    /** Makes its directory directly below the directory for temporary files: another user's processes must be able to reach it. */
    private static Path directory() {
        try {
            return Files.createTempDirectory("declock-demo-postgres-");
        } catch (IOException e) {
            throw new DemoFailedException("Cannot make a directory for PostgreSQL: " + e.getMessage(), e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Returns the prefix that runs a command as PostgreSQL's user, and makes that user the owner of the directory. */
    private static List<String> asUser(Path home) {
        if (!"root".equals(System.getProperty("user.name"))) {
            return List.of();
        }
        run(home, List.of(), List.of("chown", "-R", "postgres", home.toString()));
        return List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--");
    }

    private static void run(Path home, List<String> prefix, List<String> command) {
        List<String> all = new ArrayList<>(prefix);
        all.addAll(command);
        Path log = home.resolve("setup.log");
        try {
            Process process = new ProcessBuilder(all)
                    .directory(home.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            boolean ended = process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            if (!ended || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new DemoFailedException(String.join(" ", all) + " failed:\n" + Files.readString(log));
            }
        } catch (IOException e) {
            throw new DemoFailedException("Cannot run " + String.join(" ", all) + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DemoFailedException("Interrupted while PostgreSQL was set up", e);
        }
    }

    /** Returns the environment variables that make an instance use it. */
    Map<String, String> environment() {
        return Map.of(
                "SPRING_PROFILES_ACTIVE",
                "postgres",
                "SHOP_POSTGRES_URL",
                url(),
                "SHOP_POSTGRES_USER",
                USER,
                "SHOP_POSTGRES_PASSWORD",
                password);
    }

    private String url() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
    }

    /** Keeps a product's row from orders. */
    KeptRow keepRow(String product) {
        return KeptRow.keep(url(), USER, password, product);
    }

    @Override
    public void close() {
        server.stop(Duration.ofSeconds(5));
        Directories.delete(home);
    }
}
