// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.sample.live.Stats;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The processes of one demonstration: a memory node, the shop's instances, and a database server if requested. Closing it ends the
 * processes and deletes their files. For one thread, but another thread may call {@link #close}.
 */
final class Fleet implements AutoCloseable {
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(30);
    private static final int CANDIDATES = 2;

    private final Path work;
    private final Guard guard;
    private final Programs programs;
    private final DemoOptions options;
    private final String secret = HexFormat.of().formatHex(new SecureRandom().generateSeed(16));
    private final String databasePassword = HexFormat.of().formatHex(new SecureRandom().generateSeed(16));
    /** Other users of this machine can open the console's address, so its password is known to nobody who has not seen it printed. */
    private final String consolePassword = HexFormat.of().formatHex(new SecureRandom().generateSeed(16));

    private final ReentrantLock mutex = new ReentrantLock();
    /** Every process ever started, including those that have ended. */
    @GuardedBy("mutex")
    private final List<ChildProcess> started = new ArrayList<>();

    /** Completes when every process has ended, after {@link #close} was called. */
    private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

    private final List<ChildProcess> candidates = new CopyOnWriteArrayList<>();
    private final List<Integer> candidatePorts = new CopyOnWriteArrayList<>();
    /** Of the memory node's console, or of those of its candidates. Chosen here, so that an address still leads there after a restart. */
    private final List<Integer> consolePorts = new CopyOnWriteArrayList<>();

    private final List<ChildProcess> instances = new CopyOnWriteArrayList<>();
    private final List<URI> shops = new CopyOnWriteArrayList<>();
    private final JsonMapper json = JsonMapper.builder().build();
    private final HttpClient client = HttpClient.newHttpClient();
    private volatile @Nullable ChildProcess memoryNode;
    private @Nullable ThrowawayPostgres postgres;
    private @Nullable SharedH2 h2;
    private int memoryNodePort;

    @GuardedBy("mutex")
    private boolean closed;

    private Fleet(Path work, Guard guard, Programs programs, DemoOptions options) {
        this.work = work;
        this.guard = guard;
        this.programs = programs;
        this.options = options;
    }

    /** Makes one without processes. */
    static Fleet create(Programs programs, DemoOptions options) throws IOException {
        Guard guard = Guard.start();
        Path work = Files.createTempDirectory("declock-demo-");
        guard.watch(work);
        return new Fleet(work, guard, programs, options);
    }

    /** Starts every process and waits until all are ready. */
    void start() {
        if (options.postgres()) {
            postgres = ThrowawayPostgres.start(guard);
        } else if (options.faults() > 0) {
            h2 = SharedH2.start();
        }
        if (options.standby()) {
            h2 = h2 == null ? SharedH2.start() : h2;
            startCandidates();
        } else {
            consolePorts.addAll(freePorts(1));
            startMemoryNode(false);
        }
        for (int i = 0; i < options.instances(); i++) {
            instances.add(launchShop(i));
        }
        for (int i = 0; i < options.instances(); i++) {
            shops.add(awaitShop(i));
        }
    }

    private void startMemoryNode(boolean hadEarlierLife) {
        Path portFile = emptied("memory-node");
        ChildProcess started = launch(
                "memory-node",
                programs.memoryNode(
                        work,
                        options,
                        work.resolve("memory-node-state"),
                        portFile,
                        memoryNodePort,
                        consolePorts.get(0),
                        hadEarlierLife),
                memoryNodeEnvironment());
        memoryNode = started;
        memoryNodePort = started.awaitPort(portFile, patience());
    }

    private void startCandidates() {
        List<Integer> free = freePorts(2 * CANDIDATES);
        candidatePorts.addAll(free.subList(0, CANDIDATES));
        consolePorts.addAll(free.subList(CANDIDATES, free.size()));
        for (int i = 0; i < candidatePorts.size(); i++) {
            candidates.add(launchCandidate(i));
        }
        for (int i = 0; i < candidatePorts.size(); i++) {
            candidates.get(i).awaitPort(portFile(candidateName(i)), patience());
        }
        servingCandidate();
    }

    /** For ports that are told to others before the program runs that listens there. */
    private static List<Integer> freePorts(int count) {
        if (count == 0) {
            return List.of();
        }
        // Each one stays open until the last one is, or one port might be returned twice.
        try (ServerSocket socket = new ServerSocket(0)) {
            List<Integer> ports = new ArrayList<>(freePorts(count - 1));
            ports.add(socket.getLocalPort());
            return ports;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Map<String, String> memoryNodeEnvironment() {
        return Map.of(
                "DECLOCK_MEMORYNODE_SECRET", secret, "DECLOCK_MEMORYNODE_CONSOLE_VIEWERPASSWORD", consolePassword);
    }

    private static String candidateName(int candidate) {
        return "memory-node-" + (char) ('a' + candidate);
    }

    private ChildProcess launchCandidate(int number) {
        String name = candidateName(number);
        return launch(
                name,
                programs.candidate(
                        work,
                        emptied(name),
                        candidatePorts,
                        consolePorts.get(number),
                        number,
                        requireNonNull(h2).engineUrl()),
                memoryNodeEnvironment());
    }

    /** Waits until a candidate serves, and returns which one. */
    int servingCandidate() {
        String serving = candidates.get(0).await("that a candidate serves", patience(), () -> {
            long first = candidates.get(0).lastTerm();
            long second = candidates.get(1).lastTerm();
            return first == second ? "" : first > second ? "0" : "1";
        });
        return Integer.parseInt(serving);
    }

    /** Waits until the other candidate serves in place of the one that has ended, and returns its process. */
    ChildProcess awaitFollower(int ended) {
        ChildProcess other = candidates.get(1 - ended);
        long before = candidates.get(ended).lastTerm();
        other.await("that it serves", patience(), () -> other.lastTerm() > before ? "yes" : "");
        return other;
    }

    /** Starts a candidate again and waits until it listens. Its process must have ended. */
    void restartCandidate(int number) {
        candidates.set(number, launchCandidate(number));
        candidates.get(number).awaitPort(portFile(candidateName(number)), patience());
    }

    /** Returns a candidate's process. */
    ChildProcess candidate(int number) {
        return candidates.get(number);
    }

    /** Returns what a shop is told of the memory node's port, or of those of its candidates. */
    private List<Integer> memoryNodePorts() {
        return candidatePorts.isEmpty() ? List.of(memoryNodePort) : candidatePorts;
    }

    private ChildProcess launchShop(int number) {
        String name = nameOf(number);
        Map<String, String> environment = new HashMap<>();
        environment.put("PORTFILE", emptied(name).toString());
        environment.put("DECLOCK_SECRET", secret);
        if (postgres != null) {
            environment.putAll(postgres.environment());
        } else {
            environment.put("SPRING_DATASOURCE_PASSWORD", databasePassword);
            if (h2 != null) {
                environment.putAll(h2.environment());
            }
        }
        return launch(name, programs.shop(work, name, options, work.resolve("shop"), memoryNodePorts()), environment);
    }

    private URI awaitShop(int number) {
        int port = instances.get(number).awaitPort(portFile(nameOf(number)), patience());
        return URI.create("http://127.0.0.1:" + port + "/");
    }

    private Duration patience() {
        return Duration.ofSeconds(options.patience());
    }

    static String nameOf(int shop) {
        return "shop-" + (shop + 1);
    }

    private Path portFile(String name) {
        return work.resolve(name + ".port");
    }

    private Path emptied(String name) {
        try {
            Files.deleteIfExists(portFile(name));
            return portFile(name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ChildProcess launch(String name, List<String> command, Map<String, String> environment) {
        ChildProcess child = ChildProcess.start(guard, name, work, command, environment);
        boolean late;
        mutex.lock();
        try {
            late = closed;
            if (!late) {
                started.add(child);
            }
        } finally {
            mutex.unlock();
        }
        if (late) {
            child.stop(STOP_PATIENCE);
            throw new DemoFailedException("The demonstration was ended while it ran");
        }
        return child;
    }

    /**
     * Starts the memory node again, on the same port, waits until it listens, and returns its process. The former one must have ended.
     */
    ChildProcess restartMemoryNode() {
        startMemoryNode(true);
        return memoryNode();
    }

    /** Starts a shop again and waits until it is ready. Its process must have ended. */
    void restartShop(int number) {
        instances.set(number, launchShop(number));
        shops.set(number, awaitShop(number));
    }

    /** Makes the next order for a product slow, until the result is closed. Only in runs with faults. */
    KeptRow keepRow(String product) {
        return postgres != null
                ? postgres.keepRow(product)
                : KeptRow.keep(requireNonNull(h2).shopUrl(), "sa", databasePassword, product);
    }

    /** Returns the memory node's process. */
    ChildProcess memoryNode() {
        ChildProcess running = memoryNode;
        if (running == null) {
            throw new IllegalStateException("not started");
        }
        return running;
    }

    /** Returns a shop's process. */
    ChildProcess shop(int number) {
        return instances.get(number);
    }

    /** Returns the addresses of the instances, as a list that follows restarts. */
    List<URI> shops() {
        return Collections.unmodifiableList(shops);
    }

    /** Returns the addresses of the memory node's console, or of those of its candidates. */
    List<URI> consoles() {
        return consolePorts.stream()
                .map(port -> URI.create("http://127.0.0.1:" + port + "/console"))
                .toList();
    }

    /** Returns the password of the console's user {@code viewer}, who can change nothing. */
    String consolePassword() {
        return consolePassword;
    }

    /** Returns every instance's figures. */
    List<Stats> stats() throws IOException, InterruptedException {
        List<Stats> stats = new ArrayList<>();
        for (URI shop : shops) {
            HttpRequest request = HttpRequest.newBuilder(shop.resolve("/stats"))
                    .timeout(Duration.ofSeconds(60))
                    .build();
            HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
            if (response.statusCode() != 200) {
                throw new IOException(request.uri() + " answers " + response.statusCode() + ": " + response.body());
            }
            stats.add(json.readValue(response.body(), Stats.class));
        }
        return stats;
    }

    /** Ends every process. Each caller returns when they have ended: this program's last act may be that of any of them. */
    @Override
    public void close() {
        boolean first;
        List<ChildProcess> all;
        mutex.lock();
        try {
            first = !closed;
            closed = true;
            all = List.copyOf(started);
        } finally {
            mutex.unlock();
        }
        if (!first) {
            ended.join();
            return;
        }
        try {
            end(all);
        } finally {
            ended.complete(null);
        }
    }

    private void end(List<ChildProcess> all) {
        // The shops stop first, all at once, so that each can leave its memory node while that still runs.
        List<ChildProcess> shopsFirst = all.stream()
                .filter(child -> child != memoryNode && !candidates.contains(child))
                .toList();
        shopsFirst.forEach(ChildProcess::askToStop);
        shopsFirst.forEach(child -> child.stop(STOP_PATIENCE));
        all.forEach(child -> child.stop(STOP_PATIENCE));
        if (postgres != null) {
            postgres.close();
        }
        if (h2 != null) {
            h2.close();
        }
        Directories.delete(work);
        guard.close();
    }
}
