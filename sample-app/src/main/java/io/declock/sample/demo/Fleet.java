// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

import io.declock.sample.live.Stats;
import java.io.IOException;
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
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The processes of one demonstration: a memory node, the shop's instances, and a database server if asked for. They and their
 * files are gone when it is closed. For one thread, but {@link #close} may be called by another.
 */
final class Fleet implements AutoCloseable {
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(30);

    private final Path work;
    private final List<ChildProcess> children = new ArrayList<>();
    private final List<URI> shops = new ArrayList<>();
    private final JsonMapper json = JsonMapper.builder().build();
    private final HttpClient client = HttpClient.newHttpClient();
    private @Nullable ThrowawayPostgres postgres;
    private boolean closed;

    private Fleet(Path work) {
        this.work = work;
    }

    /** Makes one that has no process yet. */
    static Fleet create() throws IOException {
        return new Fleet(Files.createTempDirectory("declock-demo-"));
    }

    /** Starts everything and waits until it is ready. */
    void start(Programs programs, DemoOptions options) {
        Duration patience = Duration.ofSeconds(options.patience());
        if (options.postgres()) {
            postgres = ThrowawayPostgres.start();
        }
        String secret = HexFormat.of().formatHex(new SecureRandom().generateSeed(16));
        Path nodePortFile = work.resolve("memory-node.port");
        ChildProcess memoryNode = launch(
                "memory-node",
                programs.memoryNode(work, options, nodePortFile),
                Map.of("DECLOCK_MEMORYNODE_SECRET", secret));
        int nodePort = memoryNode.awaitPort(nodePortFile, patience);

        List<ChildProcess> instances = new ArrayList<>();
        for (int i = 1; i <= options.instances(); i++) {
            String name = "shop-" + i;
            Map<String, String> environment = new HashMap<>();
            environment.put("PORTFILE", portFile(name).toString());
            environment.put("DECLOCK_SECRET", secret);
            if (postgres != null) {
                environment.putAll(postgres.environment());
            }
            instances.add(
                    launch(name, programs.shop(work, name, options, work.resolve("shop"), nodePort), environment));
        }
        for (int i = 1; i <= options.instances(); i++) {
            int port = instances.get(i - 1).awaitPort(portFile("shop-" + i), patience);
            shops.add(URI.create("http://127.0.0.1:" + port + "/"));
        }
    }

    private Path portFile(String name) {
        return work.resolve(name + ".port");
    }

    private synchronized ChildProcess launch(String name, List<String> command, Map<String, String> environment) {
        if (closed) {
            throw new DemoFailedException("The demonstration was ended while it started");
        }
        ChildProcess child = ChildProcess.start(name, work, command, environment);
        children.add(child);
        return child;
    }

    /** Returns where the instances are. */
    List<URI> shops() {
        return List.copyOf(shops);
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

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        // The shops first, all at once, so that each leaves a memory node that is still there.
        List<ChildProcess> shopsFirst =
                new ArrayList<>(children.subList(Math.min(1, children.size()), children.size()));
        shopsFirst.forEach(ChildProcess::askToStop);
        shopsFirst.forEach(child -> child.stop(STOP_PATIENCE));
        children.forEach(child -> child.stop(STOP_PATIENCE));
        if (postgres != null) {
            postgres.close();
        }
        Directories.delete(work);
    }
}
