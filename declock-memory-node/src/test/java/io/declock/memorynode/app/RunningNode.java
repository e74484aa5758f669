// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import io.declock.ComputeNodeSettings;
import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.node.ComputeNode;
import io.declock.internal.tcp.client.TcpFabric;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** A memory node started as its program is, in this JVM, on ports of the system's choice. */
final class RunningNode implements AutoCloseable {
    /** Of the console's operator. */
    static final String PASSWORD = "a password of the test";

    private final ConfigurableApplicationContext context;

    private RunningNode(ConfigurableApplicationContext context) {
        this.context = context;
    }

    static RunningNode start(String... properties) {
        List<String> arguments = new ArrayList<>(List.of(
                "--server.port=0",
                "--declock.memory-node.id=test",
                "--declock.memory-node.port=0",
                "--declock.memory-node.bind-address=127.0.0.1",
                "--declock.memory-node.records=1000",
                "--declock.memory-node.console.operator-password=" + PASSWORD));
        for (String property : properties) {
            arguments.removeIf(
                    argument -> argument.startsWith("--" + property.substring(0, property.indexOf('=') + 1)));
            arguments.add("--" + property);
        }
        return new RunningNode(MemoryNodeApplication.run(arguments.toArray(String[]::new)));
    }

    MemoryNodeService service() {
        return context.getBean(MemoryNodeService.class);
    }

    /** Returns where services reach it. */
    String address() {
        return "tcp://127.0.0.1:" + service().port();
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send("GET", path);
    }

    HttpResponse<String> send(String method, String path) throws IOException, InterruptedException {
        return send(method, path, "operator", PASSWORD);
    }

    /**
     * Sends a request of a user of the console; without a password if it is empty.
     *
     * @param headers names and values in turn
     */
    HttpResponse<String> send(String method, String path, String user, String password, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + webPort() + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .header("Authorization", authorization(user, password));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    }

    /** Returns the port of Actuator and the console. */
    int webPort() {
        return ((WebServerApplicationContext) context).getWebServer().getPort();
    }

    boolean isRunning() {
        return context.isActive();
    }

    private static String authorization(String user, String password) {
        return password.isEmpty()
                ? "none"
                : "Basic "
                        + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    /** Makes a compute node that wants to join it. */
    ComputeNode computeNode(TcpFabricSettings settings) {
        return computeNode(settings, ComputeNodeSettings.DEFAULTS);
    }

    /** Makes a compute node with settings of its own that wants to join it. */
    ComputeNode computeNode(TcpFabricSettings settings, ComputeNodeSettings nodeSettings) {
        return computeNode(settings, nodeSettings, service().port());
    }

    /** Makes a compute node that wants to join it at a port that leads to it. */
    ComputeNode computeNode(TcpFabricSettings settings, ComputeNodeSettings nodeSettings, int port) {
        NodeCounters counters = new NodeCounters();
        ComputeNode node = ComputeNode.builder()
                .memoryNodes(List.of(MemoryNodeAddress.parse("tcp://127.0.0.1:" + port)))
                .fabric(TcpFabric.open(settings, counters))
                .counters(counters)
                .settings(nodeSettings)
                .build();
        node.start();
        return node;
    }

    @Override
    public void close() {
        context.close();
    }
}
