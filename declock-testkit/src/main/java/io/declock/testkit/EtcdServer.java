// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.testkit;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A member of an etcd on the loopback interface, which is deleted when it is closed. Not thread-safe. */
public final class EtcdServer implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Pattern MEMBER = Pattern.compile("\"member_id\":\"(\\d+)\"");
    private static final Pattern LEADER = Pattern.compile("\"leader\":\"(\\d+)\"");

    private final Path home;
    private final String name;
    private final int clientPort;
    private final String peer;
    private final String cluster;
    private @Nullable ChildProcess process;
    private int starts;

    private EtcdServer(Path home, String name, int clientPort, String peer, String cluster) {
        this.home = home;
        this.name = name;
        this.clientPort = clientPort;
        this.peer = peer;
        this.cluster = cluster;
    }

    /** Starts one of one member; the test is aborted, or fails, if etcd is not installed. */
    public static EtcdServer start() throws IOException, InterruptedException {
        return start(1).get(0);
    }

    /** Starts one of several members; the test is aborted, or fails, if etcd is not installed. */
    public static List<EtcdServer> start(int members) throws IOException, InterruptedException {
        Needs.program("etcd", "A test with etcd", "etcd-server");
        List<Integer> ports = Ports.free(2 * members);
        List<String> peers = new ArrayList<>();
        for (int i = 0; i < members; i++) {
            peers.add("http://" + Ports.LOOPBACK + ":" + ports.get(members + i));
        }
        String cluster = IntStream.range(0, members)
                .mapToObj(i -> "tests-" + i + "=" + peers.get(i))
                .collect(Collectors.joining(","));
        List<EtcdServer> servers = new ArrayList<>();
        try {
            for (int i = 0; i < members; i++) {
                Path home = Files.createTempDirectory("declock-etcd-");
                servers.add(new EtcdServer(home, "tests-" + i, ports.get(i), peers.get(i), cluster));
            }
            startAgain(servers);
            return servers;
        } catch (IOException | InterruptedException | RuntimeException e) {
            servers.forEach(EtcdServer::close);
            throw e;
        }
    }

    private void launch() throws IOException {
        List<String> command = List.of(
                "etcd",
                "--name",
                name,
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
                cluster);
        process = ChildProcess.logged(name, new ProcessBuilder(command), home.resolve("log-" + ++starts));
    }

    private void awaitStart() throws InterruptedException {
        process().awaitPort(clientPort, PATIENCE);
    }

    /** Returns the address for clients. */
    public String address() {
        return "http://" + Ports.LOOPBACK + ":" + clientPort;
    }

    /** Returns the port for clients. */
    public int port() {
        return clientPort;
    }

    /** Returns its process. */
    public ChildProcess process() {
        return Objects.requireNonNull(process);
    }

    /** Returns whether it leads the members, as far as it knows. */
    public boolean leads() throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address() + "/v3/maintenance/status"))
                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                .timeout(PATIENCE)
                .build();
        String answer = HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
        Matcher member = MEMBER.matcher(answer);
        Matcher leader = LEADER.matcher(answer);
        if (!member.find() || !leader.find()) {
            throw new IllegalStateException("etcd's status is not understood: " + answer);
        }
        return member.group(1).equals(leader.group(1));
    }

    /** Ends it by SIGKILL; its data stay. */
    public void kill() {
        process().kill();
    }

    /** Starts it again with its data, on the same ports. */
    public void startAgain() throws IOException, InterruptedException {
        startAgain(List.of(this));
    }

    /** Starts several members with the data that they have: a member answers clients only when most of them run. */
    public static void startAgain(List<EtcdServer> members) throws IOException, InterruptedException {
        for (EtcdServer member : members) {
            member.launch();
        }
        for (EtcdServer member : members) {
            member.awaitStart();
        }
    }

    @Override
    public void close() {
        if (process != null) {
            process.kill();
            process.close();
        }
        Directories.delete(home);
    }
}
