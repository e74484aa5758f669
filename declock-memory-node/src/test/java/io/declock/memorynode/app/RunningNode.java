// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

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
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** A memory node started as its program is, in this JVM, on ports of the system's choice. */
final class RunningNode implements AutoCloseable {
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
                "--declock.memory-node.records=1000"));
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
        int port = ((WebServerApplicationContext) context).getWebServer().getPort();
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    }

    /** Makes a compute node that wants to join it. */
    ComputeNode computeNode(TcpFabricSettings settings) {
        NodeCounters counters = new NodeCounters();
        ComputeNode node = ComputeNode.builder()
                .memoryNodes(List.of(MemoryNodeAddress.parse(address())))
                .fabric(TcpFabric.open(settings, counters))
                .counters(counters)
                .build();
        node.start();
        return node;
    }

    @Override
    public void close() {
        context.close();
    }
}
