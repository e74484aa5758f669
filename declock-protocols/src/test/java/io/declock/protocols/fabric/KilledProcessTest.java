// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.LockMode;
import io.declock.internal.monitor.NodeCounters;
import io.declock.protocols.LockProtocol;
import io.declock.testkit.ChildProcess;
import io.declock.testkit.Commands;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A process of a lock of the literature is killed while it holds locks and waits for one. The process that joined first, which runs the lock's server, lives. */
@Timeout(120)
class KilledProcessTest {
    private static final int ROUNDS = 6;
    /** No protocol takes a turn away earlier. */
    private static final Duration TWO_LEASES = LocksOfTheLiterature.LEASE.multipliedBy(2);

    /** Each lock costs ShiftLock three leases and then one more for each that is recovered before it. */
    private static final Duration PATIENCE = LocksOfTheLiterature.LEASE.multipliedBy(30);

    private final List<FabricClients> processes = new ArrayList<>();
    private LoopbackRig rig;

    @TempDir
    private Path logs;

    static Stream<LockProtocol> protocolsThatOutliveClients() {
        return LocksOfTheLiterature.all().filter(LockProtocol::outlivesClients);
    }

    static Stream<LockProtocol> protocolsThatDoNot() {
        return LocksOfTheLiterature.all().filter(protocol -> !protocol.outlivesClients());
    }

    @BeforeEach
    void startRig() {
        rig = new LoopbackRig();
    }

    @AfterEach
    void closeRig() {
        processes.forEach(FabricClients::close);
        rig.close();
    }

    private FabricClients join(LockProtocol protocol) {
        FabricClients joined = FabricClients.join(
                protocol,
                rig.openFabric(new NodeCounters()),
                rig.address(),
                "process-" + processes.size(),
                Duration.ofSeconds(1),
                4);
        processes.add(joined);
        return joined;
    }

    private ChildProcess startHolder(LockProtocol protocol) throws Exception {
        List<String> command = Commands.java(
                List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                Holder.class.getName(),
                List.of(rig.address().toString(), protocol.name()));
        ChildProcess holder = ChildProcess.heard("holder", new ProcessBuilder(command), logs.resolve("holder.log"));
        holder.await(Holder.READY, PATIENCE);
        return holder;
    }

    @ParameterizedTest
    @MethodSource("protocolsThatOutliveClients")
    void othersGetTheLocksOfAKilledProcessAfterTheLeasesAndNotEarlier(LockProtocol protocol) throws Exception {
        FabricClients first = join(protocol);
        FabricClients second = join(protocol);
        first.lock(0, Holder.AWAITED, LockMode.WRITE);
        Guarded written = new Guarded();
        Guarded read = new Guarded();
        Guarded awaited = new Guarded();
        try (ChildProcess holder = startHolder(protocol)) {
            long now = System.nanoTime();
            // Nobody has seen the holder's turns begin before now.
            long taken = now + TWO_LEASES.toNanos();
            List<Future<Void>> all = List.of(
                    use(first, 1, Holder.WRITTEN, written, taken),
                    use(second, 1, Holder.WRITTEN, written, taken),
                    use(first, 2, Holder.READ, read, taken),
                    use(second, 2, Holder.READ, read, taken),
                    use(second, 3, Holder.AWAITED, awaited, now));
            holder.kill();
            first.unlock(0, Holder.AWAITED);
            for (Future<Void> each : all) {
                each.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            }
        }
        List.of(written, read, awaited).forEach(Guarded::assertNothingIsLost);
    }

    /** Acquires a lock some times, first to write, and the first time not before a moment. */
    private static Future<Void> use(FabricClients process, int client, String name, Guarded guarded, long notBefore) {
        return FabricClientsContract.inBackground(() -> {
            for (int round = 0; round < ROUNDS; round++) {
                LockMode mode = round % 2 == 0 ? LockMode.WRITE : LockMode.READ;
                process.lock(client, name, mode);
                assertThat(System.nanoTime() - notBefore)
                        .as("nanoseconds since the lock %s may be taken from the holder", name)
                        .isNotNegative();
                guarded.visit(mode);
                process.unlock(client, name);
            }
            return null;
        });
    }

    @ParameterizedTest
    @MethodSource("protocolsThatDoNot")
    void otherProtocolsLeaveTheLocksOfAKilledProcessTaken(LockProtocol protocol) throws Exception {
        FabricClients first = join(protocol);
        try (ChildProcess holder = startHolder(protocol)) {
            Future<Void> asker = FabricClientsContract.inBackground(() -> {
                first.lock(0, Holder.WRITTEN, LockMode.WRITE);
                return null;
            });
            holder.kill();
            TimeUnit.NANOSECONDS.sleep(TWO_LEASES.toNanos());
            assertThat(asker.isDone()).isFalse();
        }
    }
}
