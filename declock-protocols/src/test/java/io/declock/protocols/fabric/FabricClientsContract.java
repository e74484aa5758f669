// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.LockMode;
import io.declock.internal.monitor.NodeCounters;
import io.declock.protocols.LockProtocol;
import io.declock.spi.FabricRig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the locks of the literature promise on every fabric: here three processes use each, and each has its memory node alone. */
@Timeout(120)
public abstract class FabricClientsContract {
    private static final Duration SESSION = Duration.ofSeconds(10);
    private static final int PROCESSES = 3;
    private static final int CLIENTS = 2;
    private static final long PATIENCE_SECONDS = 60;

    private final List<FabricClients> processes = new ArrayList<>();
    private FabricRig rig;

    /** Starts a memory node. */
    protected abstract FabricRig start();

    /** Returns how often each client acquires a lock; fewer where a machine is emulated. */
    protected int rounds(LockProtocol protocol) {
        return 200;
    }

    /** Returns whether the fabric executes extended atomics; one that does not refuses them. */
    protected boolean executesExtendedAtomics() {
        return true;
    }

    static Stream<LockProtocol> protocols() {
        return LocksOfTheLiterature.all();
    }

    static Stream<LockProtocol> protocolsWithReaders() {
        return protocols().filter(protocol -> protocol.has(LockMode.READ));
    }

    static Stream<LockProtocol> protocolsWithExtendedAtomics() {
        return protocols().filter(LocksOfTheLiterature::needsExtendedAtomics);
    }

    @BeforeEach
    final void startRig() {
        rig = start();
    }

    @AfterEach
    final void closeRig() {
        processes.forEach(FabricClients::close);
        rig.close();
    }

    private boolean runs(LockProtocol protocol) {
        return (executesExtendedAtomics() || !LocksOfTheLiterature.needsExtendedAtomics(protocol));
    }

    private FabricClients join(LockProtocol protocol) {
        String name = "process-" + processes.size();
        FabricClients joined =
                FabricClients.join(protocol, rig.openFabric(new NodeCounters()), rig.address(), name, SESSION, CLIENTS);
        processes.add(joined);
        return joined;
    }

    /** Half of the clients begin with the one lock, half with the other, and half of the acquisitions are for reading. */
    @ParameterizedTest
    @MethodSource("protocols")
    void everyLockExcludesTheClientsOfAllProcesses(LockProtocol protocol) throws Exception {
        if (!runs(protocol)) {
            return;
        }
        Map<String, Guarded> locks = Map.of("even", new Guarded(), "odd", new Guarded());
        List<Future<Void>> clients = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            FabricClients process = join(protocol);
            for (int client = 0; client < CLIENTS; client++) {
                int number = client;
                clients.add(inBackground(() -> use(process, number, protocol, locks)));
            }
        }
        for (Future<Void> client : clients) {
            client.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        locks.values().forEach(Guarded::assertNothingIsLost);
    }

    private Void use(FabricClients process, int client, LockProtocol protocol, Map<String, Guarded> locks) {
        for (int round = 0; round < rounds(protocol); round++) {
            String name = (round + client) % 2 == 0 ? "even" : "odd";
            LockMode mode = round % 4 < 2 && protocol.has(LockMode.READ) ? LockMode.READ : LockMode.WRITE;
            process.lock(client, name, mode);
            locks.get(name).visit(mode);
            process.unlock(client, name);
        }
        return null;
    }

    @ParameterizedTest
    @MethodSource("protocolsWithReaders")
    void readersOfTwoProcessesHoldALockTogetherAndAWriterWaitsForBoth(LockProtocol protocol) throws Exception {
        if (!runs(protocol)) {
            return;
        }
        FabricClients one = join(protocol);
        FabricClients other = join(protocol);
        lock(one, 0, LockMode.READ).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        lock(other, 0, LockMode.READ).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        Future<Void> writer = lock(one, 1, LockMode.WRITE);
        one.unlock(0, "read");
        assertThat(writer.isDone()).isFalse();
        other.unlock(0, "read");
        writer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        one.unlock(1, "read");
    }

    private static Future<Void> lock(FabricClients process, int client, LockMode mode) {
        return inBackground(() -> {
            process.lock(client, "read", mode);
            return null;
        });
    }

    @ParameterizedTest
    @MethodSource("protocolsWithExtendedAtomics")
    void aFabricThatLacksALocksVerbsNamesOneOfThemToItsClient(LockProtocol protocol) {
        if (executesExtendedAtomics()) {
            return;
        }
        for (LockMode mode : LockMode.values()) {
            FabricClients process = join(protocol);
            boolean reads = mode == LockMode.READ && protocol.has(LockMode.READ);
            String verb = reads ? "MASKED_FETCH_AND_ADD" : "MASKED_COMPARE_AND_SWAP";
            assertThatThrownBy(() -> process.lock(0, "refused", mode)).hasStackTraceContaining(verb);
        }
        assertThat(rig.node().status().fetchAndAdds()).isZero();
    }

    /** A client of a lock that is never granted waits for ever, so its thread does not keep the JVM. */
    static Future<Void> inBackground(Callable<Void> task) {
        FutureTask<Void> future = new FutureTask<>(task);
        Thread thread = new Thread(future, "client");
        thread.setDaemon(true);
        thread.start();
        return future;
    }
}
