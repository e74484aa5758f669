// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Injects faults into the processes of a demonstration, one after the other: every shop is killed, stopped for longer than its lease and
 * restarted with an orderly shutdown, and the memory node is killed and started again with empty memory. Or, with a stand-by, the candidate that
 * serves is killed and told to end. Runs on a thread of its own.
 */
final class FaultScript {
    private static final int FAULTS_PER_ROUND = 4;
    private static final int FAULTS_OF_CANDIDATES = 2;
    private static final Duration BETWEEN = Duration.ofMillis(1500);

    private final Fleet fleet;
    private final DemoOptions options;
    private final PrintStream out;
    private final Load load;
    private final Thread thread = new Thread(this::run, "demo-faults");
    private volatile boolean over;
    private volatile long servedAtEnd;
    private volatile int done;
    private volatile @Nullable RuntimeException failure;
    private long overAt;

    FaultScript(Fleet fleet, DemoOptions options, Load load, PrintStream out) {
        this.fleet = fleet;
        this.options = options;
        this.load = load;
        this.out = out;
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Returns whether customers are still needed: until two leases without faults have passed after the last fault. */
    boolean needsCustomers() {
        return failure == null && !(over && System.nanoTime() - overAt > 2 * Programs.FAULTS_LEASE.toNanos());
    }

    /**
     * Returns how many requests were served after the last fault.
     *
     * @throws RuntimeException if a fault could not be injected
     */
    long servedAfterwards() {
        RuntimeException wrong = failure;
        if (wrong != null) {
            throw wrong;
        }
        return load.served() - servedAtEnd;
    }

    /** Returns the number of faults injected. */
    int faults() {
        return done;
    }

    private void run() {
        try {
            for (int round = 0; round < options.faults(); round++) {
                round(round);
            }
            if (options.standby()) {
                endCandidates();
            }
        } catch (RuntimeException e) {
            failure = e;
        } catch (InterruptedException e) {
            failure = new DemoFailedException("Interrupted while faults were injected", e);
        }
        servedAtEnd = load.served();
        overAt = System.nanoTime();
        over = true;
    }

    private void round(int round) throws InterruptedException {
        int killed = round % options.instances();
        int stopped = (round + 1) % options.instances();
        int restarted = (round + 2) % options.instances();

        between();
        say("kill -9 " + fleet.shop(killed).name());
        fleet.shop(killed).kill();
        fleet.restartShop(killed);
        say(fleet.shop(killed).name() + " is back");

        between();
        say("stop " + fleet.shop(stopped).name() + " for twice its lease");
        fleet.shop(stopped).pause();
        sleep(Programs.FAULTS_LEASE.multipliedBy(2));
        fleet.shop(stopped).resume();
        say(fleet.shop(stopped).name() + " continues");

        between();
        say("kill -9 the memory node");
        fleet.memoryNode().kill();
        fleet.restartMemoryNode();
        say("the memory node is back, with empty memory");

        between();
        say("restart " + fleet.shop(restarted).name() + " with an orderly shutdown");
        fleet.shop(restarted).stop(Duration.ofSeconds(options.patience()));
        fleet.restartShop(restarted);
        say(fleet.shop(restarted).name() + " is back");
        done = FAULTS_PER_ROUND * (round + 1);
    }

    /** Ends the candidate that serves, twice: by a fault, and in good order. */
    private void endCandidates() throws InterruptedException {
        between();
        int serving = fleet.servingCandidate();
        say("kill -9 " + fleet.candidate(serving).name() + ", which serves");
        fleet.candidate(serving).kill();
        followed(serving);

        between();
        serving = fleet.servingCandidate();
        say("tell " + fleet.candidate(serving).name() + ", which serves, to end");
        fleet.candidate(serving).stop(Duration.ofSeconds(options.patience()));
        followed(serving);
        between();
        done = FAULTS_OF_CANDIDATES;
    }

    private void followed(int ended) {
        say(fleet.awaitFollower(ended).name() + " serves now");
        fleet.restartCandidate(ended);
        say(fleet.candidate(ended).name() + " is back and stands by");
    }

    private static void between() throws InterruptedException {
        sleep(BETWEEN);
    }

    private static void sleep(Duration time) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(time.toMillis());
    }

    private void say(String what) {
        out.printf(Locale.ROOT, "       FAULT: %s%n", what);
    }
}
