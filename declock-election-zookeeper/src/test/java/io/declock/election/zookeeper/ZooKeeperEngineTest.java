// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.election.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.declock.spi.election.ElectionEngine;
import io.declock.spi.election.ElectionEngine.Elected;
import io.declock.spi.election.ElectionEngineContract;
import io.declock.spi.election.ElectionException;
import io.declock.spi.election.InvalidElectionSettingException;
import io.declock.testkit.Directories;
import io.declock.testkit.TcpProxy;
import io.declock.testkit.TcpProxy.Flow;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** On a real ZooKeeper server in this process. */
final class ZooKeeperEngineTest extends ElectionEngineContract {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final int TICK_MILLIS = 500;
    private static Path directory;
    private static ZooKeeperServer server;
    private static ServerCnxnFactory connections;

    private final Map<ElectionEngine, TcpProxy> proxies = new HashMap<>();

    @BeforeAll
    static void startServer() throws Exception {
        directory = Files.createTempDirectory("declock-zookeeper-");
        server = new ZooKeeperServer(directory.toFile(), directory.toFile(), TICK_MILLIS);
        connections = ServerCnxnFactory.createFactory(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        connections.startup(server);
    }

    @AfterAll
    static void stopServer() {
        connections.shutdown();
        server.shutdown();
        Directories.delete(directory);
    }

    @AfterEach
    void closeProxies() {
        proxies.values().forEach(TcpProxy::close);
    }

    @Override
    protected ElectionEngine open() throws Exception {
        TcpProxy proxy = new TcpProxy(connections.getLocalPort());
        ElectionEngine engine =
                new ZooKeeperEngineProvider().open(Map.of("connect-string", "127.0.0.1:" + proxy.port()), TIMEOUT);
        proxies.put(engine, proxy);
        return engine;
    }

    @Override
    protected void stop(ElectionEngine engine) {
        proxies.get(engine).set(Flow.HELD);
    }

    @Override
    protected void goOn(ElectionEngine engine) {
        proxies.get(engine).set(Flow.OPEN);
    }

    @Test
    void aClientThatIsCutOffFailsInTimeAndItsTermGoesOnIfTheCutIsShort() throws Exception {
        ElectionEngine engine = client();
        Elected elected = (Elected) engine.acquire(memoryNode, "tcp://a1:7420", Duration.ofSeconds(8));
        stop(engine);
        long before = System.nanoTime();
        assertThatExceptionOfType(ElectionException.class)
                .isThrownBy(() -> engine.renew(memoryNode, elected.term(), Duration.ofSeconds(8)))
                .withMessageContaining(engine.title());
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(4));
        goOn(engine);
        await().ignoreExceptions()
                .atMost(Duration.ofSeconds(10))
                .until(() -> engine.renew(memoryNode, elected.term(), Duration.ofSeconds(8)));
    }

    @Test
    void aTermWhoseResignationFailedDelaysNobodyIfItsClientTriesAgain() throws Exception {
        ElectionEngine engine = client();
        Duration lease = Duration.ofSeconds(8);
        Elected elected = (Elected) engine.acquire(memoryNode, "tcp://a1:7420", lease);
        long before = System.nanoTime();
        stop(engine);
        assertThatExceptionOfType(ElectionException.class).isThrownBy(() -> engine.resign(memoryNode, elected.term()));
        // Whatever had been sent is lost.
        proxies.get(engine).set(Flow.LOST);
        goOn(engine);
        await().ignoreExceptions()
                .atMost(Duration.ofSeconds(7))
                .until(() -> engine.acquire(memoryNode, "tcp://a1:7420", lease) instanceof Elected);
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(lease);
    }

    @Test
    void aLeaseThatTheServersDoNotGiveIsNamed() throws Exception {
        ElectionEngine engine = client();
        assertThatExceptionOfType(ElectionException.class)
                .isThrownBy(() -> engine.acquire(memoryNode, "tcp://a1:7420", Duration.ofSeconds(60)))
                .withMessageContaining("maxSessionTimeout");
    }

    @Test
    void settingsThatCannotBeUsedAreRefused() {
        refused(Map.of(), "connect-string");
        refused(Map.of("connect-string", "z:1", "path", "declock"), "path");
        refused(Map.of("connect-string", "z:1", "auth", "secret"), "auth");
        refused(Map.of("connect-string", "z:1", "url", "x"), "url");
    }

    private static void refused(Map<String, String> settings, String setting) {
        assertThatExceptionOfType(InvalidElectionSettingException.class)
                .isThrownBy(() -> new ZooKeeperEngineProvider().open(settings, TIMEOUT))
                .satisfies(e -> assertThat(e.setting()).isEqualTo(setting));
    }
}
