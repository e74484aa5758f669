// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.reliability.cluster.CandidatesPlatform;
import io.declock.reliability.cluster.Cluster;
import io.declock.reliability.cluster.Node;
import io.declock.reliability.cluster.WorkerClient;
import io.declock.reliability.cluster.WorkerClient.Grant;
import io.declock.reliability.ledger.Referee;
import io.declock.testkit.TcpProxy;
import io.declock.testkit.TcpProxy.Flow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * A memory node with two candidates in processes of their own, elected by a real engine: whatever happens to a candidate or to the engine,
 * no hold is lost and nothing is granted twice. Each engine is tried with what it takes part in; {@link CandidateFaults} has the rest.
 */
@Timeout(400)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class StandbyContract {
    static final Duration LEASE = Duration.ofSeconds(20);
    static final Duration SETTLE = Duration.ofMillis(300);
    private static final int RUNS = Integer.getInteger("declock.failovers", 1);
    private static final int TRIES = 3;
    private static final int LOAD_LOCKS = 4;
    private static final int FIRST_LOAD_LOCK = Cluster.LOCKS - LOAD_LOCKS;

    private final List<List<TcpProxy>> engines = new ArrayList<>();
    private CandidatesPlatform platform;
    private Cluster<Node> cluster;

    /** Starts the engine. */
    abstract void startEngine() throws Exception;

    abstract void stopEngine() throws Exception;

    /** Ends the engine as by a fault. */
    abstract void killEngine() throws Exception;

    /** Starts the engine again with what it had. */
    abstract void restartEngine() throws Exception;

    /** Returns the ports of the engine's servers. */
    abstract List<Integer> enginePorts();

    /** Returns the arguments of the memory node's program for an engine whose servers have these ports of this machine. */
    abstract List<String> arguments(List<Integer> ports);

    @BeforeAll
    void start() throws Exception {
        startEngine();
        for (int i = 0; i < CandidatesPlatform.CANDIDATES; i++) {
            engines.add(enginePorts().stream().map(TcpProxy::new).toList());
        }
        platform = new CandidatesPlatform(
                LEASE,
                candidate -> arguments(
                        engines.get(candidate).stream().map(TcpProxy::port).toList()));
        cluster = Cluster.on(platform);
    }

    CandidatesPlatform platform() {
        return platform;
    }

    Cluster<Node> cluster() {
        return cluster;
    }

    @AfterAll
    void end() throws Exception {
        if (cluster != null) {
            cluster.close();
        }
        engines.forEach(ofOne -> ofOne.forEach(TcpProxy::close));
        stopEngine();
    }

    /** What happens to a candidate. */
    interface Fault {
        void happens(int serving) throws Exception;
    }

    /** Measures from the fault to the next grant, of a lock whose holder releases it meanwhile. */
    private void measure(Runs runs, String what, Fault fault) throws Exception {
        List<Node> both = cluster.workers("holder", "waiter");
        WorkerClient holder = both.get(0).worker();
        WorkerClient waiter = both.get(1).worker();
        holder.take("kept", 1, true);
        Grant first = holder.take("h", 0, true);
        waiter.hold("w", 0, true);
        Cluster.pause(SETTLE);
        long term = platform.term();
        int serving = platform.serving();
        long faultAt = System.nanoTime();
        fault.happens(serving);
        int next = platform.awaitServing(term);
        long electedAt = System.nanoTime();
        runs.released(holder, "h");
        Grant granted = waiter.granted("w", LEASE);
        assertThat(granted.token()).isGreaterThan(first.token());
        waiter.release("w");
        runs.released(holder, "kept");
        runs.took(Duration.ofNanos(granted.atNanos() - faultAt));
        System.out.printf(
                Locale.ROOT,
                "%s: %s: candidate %d follows candidate %d; elected after %d ms, the next grant after %d ms%n",
                getClass().getSimpleName(),
                what,
                next,
                serving,
                TimeUnit.NANOSECONDS.toMillis(electedAt - faultAt),
                TimeUnit.NANOSECONDS.toMillis(granted.atNanos() - faultAt));
        cluster.judge(System.nanoTime());
        both.forEach(node -> node.worker().leave());
        cluster.dismiss(both);
    }

    /** Makes a candidate that serves end some other way, several times, and prints how long the next grants took. */
    final void fails(String what, Duration most, Fault fault, Fault repair) throws Exception {
        Runs runs = new Runs(getClass().getSimpleName() + ", " + what);
        for (int run = 0; run < RUNS; run++) {
            int[] failed = new int[1];
            measure(runs, what, serving -> {
                failed[0] = serving;
                fault.happens(serving);
            });
            repair.happens(failed[0]);
        }
        runs.print();
        assertThat(runs.lost()).isZero();
        assertThat(runs.longest()).isLessThan(most);
    }

    @Test
    void aStandbyFollowsACandidateThatIsKilled() throws Exception {
        // The engine's lease, and a second; on a machine that has other work, three.
        fails(
                "kill -9",
                CandidatesPlatform.TERM.plusSeconds(3),
                serving -> platform.candidate(serving).kill(),
                platform::startCandidate);
    }

    @Test
    void whileTheEngineIsDownWhoServesGoesOn() throws Exception {
        List<Node> two = loaded("four", "five");
        goesOn(
                () -> {
                    killEngine();
                    Cluster.pause(CandidatesPlatform.TERM.multipliedBy(3));
                },
                () -> {
                    restartEngine();
                    Cluster.pause(CandidatesPlatform.TERM.multipliedBy(2));
                });
        finish("engine down for " + CandidatesPlatform.TERM.multipliedBy(3).toSeconds() + " s", two);
    }

    /** What no candidate is deposed by, or what ends that. */
    interface Disturbance {
        void happens() throws Exception;
    }

    /**
     * Disturbs, by which the candidate that serves loses no term, and repairs. The last renewal or promise that saves a term may be sent an eighth of
     * the lease before its end, and a machine with other work may be later than that. Then the term has run out and another one follows, so this tries again.
     */
    final void goesOn(Disturbance disturbance, Disturbance repair) throws Exception {
        for (int tries = 1; ; tries++) {
            List<String> before = platform.endedTerms();
            long term = platform.term();
            disturbance.happens();
            List<String> ended = new ArrayList<>(platform.endedTerms());
            long next = platform.term();
            repair.happens();
            ended.removeAll(before);
            if (ended.isEmpty()) {
                assertThat(next).isEqualTo(term);
                return;
            }
            assertThat(ended).allMatch(why -> why.contains("ran out without a renewal"));
            assertThat(tries).as("tries, in the last of which ended %s", ended).isLessThan(TRIES);
        }
    }

    @Test
    void aCandidateThatIsCutOffFromTheEngineIsFollowed() throws Exception {
        List<Node> two = loaded("six", "seven");
        long term = platform.term();
        int cut = platform.serving();
        long deposed = platform.depositions(cut);
        long before = System.nanoTime();
        engines.get(cut).forEach(way -> way.set(Flow.HELD));
        assertThat(platform.awaitServing(term)).isNotEqualTo(cut);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before);
        assertThat(platform.depositions(cut)).isEqualTo(deposed + 1);
        Cluster.pause(Duration.ofSeconds(1));
        engines.get(cut).forEach(way -> way.set(Flow.OPEN));
        Cluster.pause(CandidatesPlatform.TERM);
        finish("cut between serving candidate and engine, followed after " + millis + " ms", two);
    }

    /** Starts workers under load, the first of which holds a lock all the time. */
    final List<Node> loaded(String... names) {
        List<Node> workers = cluster.workers(names);
        workers.forEach(node -> node.worker().load(FIRST_LOAD_LOCK, LOAD_LOCKS, 3, 40));
        workers.get(0).worker().take("kept", 7, true);
        Cluster.pause(SETTLE);
        return workers;
    }

    /** Ends the load, after which nothing may be lost. */
    final void finish(String what, List<Node> workers) {
        assertThat(workers.get(0).worker().release("kept")).isEqualTo("released");
        long calmSince = System.nanoTime();
        Cluster.pause(Duration.ofSeconds(1));
        workers.forEach(node -> node.worker().tell("calm"));
        workers.forEach(node -> node.worker().await("calm", cluster.bound()));
        Referee.Verdict verdict = cluster.judge(calmSince);
        System.out.printf(
                Locale.ROOT,
                "%s: %s, under load: %d sections, %d lost%n",
                getClass().getSimpleName(),
                what,
                verdict.sections(),
                verdict.lost());
        assertThat(verdict.lost()).isZero();
        assertThat(verdict.bookings()).isGreaterThan(50);
        workers.forEach(node -> node.worker().leave());
        cluster.dismiss(workers);
    }
}
