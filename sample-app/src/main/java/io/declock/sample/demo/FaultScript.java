// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Injects faults into the processes of a demonstration, one after the other: every shop is killed, stopped for longer than its lease and
 * restarted with an orderly shutdown, and the memory node is killed and started again, which restores the locks that are held. Or, with a
 * stand-by, the candidate that serves is killed and told to end. Runs on a thread of its own.
 */
final class FaultScript {
    private static final int FAULTS_PER_ROUND = 4;
    private static final int FAULTS_OF_CANDIDATES = 2;
    private static final Duration BETWEEN = Duration.ofMillis(1500);

    /** Others wait for the lease and its margin of half a second before they get a lock of a silent shop; then they get it for a while. */
    private static final Duration STOPPED = Programs.FAULTS_LEASE.plusSeconds(3);

    /** For how long customers have to be served after the last fault. */
    private static final Duration AFTERWARDS = Duration.ofSeconds(5);

    private final Fleet fleet;
    private final DemoOptions options;
    private final PrintStream out;
    private final Load load;
    private final Thread thread = new Thread(this::run, "demo-faults");
    private final List<Outage> outages = new CopyOnWriteArrayList<>();
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

    /** Returns whether customers are still needed: until some time without faults has passed after the last fault. */
    boolean needsCustomers() {
        return failure == null && !(over && System.nanoTime() - overAt > AFTERWARDS.toNanos());
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

    /** Returns when shops were dead or stopped. Those whose memory node was away are not among them: they have to go on. */
    List<Outage> outages() {
        return List.copyOf(outages);
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
        long killedAt = System.nanoTime();
        outage(killed, () -> killShop(killed));
        // Customers wait for what the dead shop held. They would wait for the next one's lease on top, and longer than
        // a lock may be waited for.
        sleepUntil(killedAt + Programs.FAULTS_LEASE.toNanos());
        between();
        outage(stopped, () -> stopShop(stopped));
        between();
        duringSlowOrder(this::killMemoryNode);
        between();
        outage(restarted, () -> restartShop(restarted));
        done = FAULTS_PER_ROUND * (round + 1);
    }

    private void outage(int shop, Fault fault) throws InterruptedException {
        long from = System.nanoTime();
        fault.inject();
        outages.add(new Outage(shop, from, System.nanoTime()));
    }

    private void killShop(int shop) {
        say("kill -9 " + fleet.shop(shop).name());
        fleet.shop(shop).kill();
        fleet.restartShop(shop);
        say(fleet.shop(shop).name() + " is back");
    }

    private void stopShop(int shop) throws InterruptedException {
        say("stop %s for %d s, longer than its lease of %d s"
                .formatted(fleet.shop(shop).name(), STOPPED.toSeconds(), Programs.FAULTS_LEASE.toSeconds()));
        fleet.shop(shop).pause();
        sleep(STOPPED);
        fleet.shop(shop).resume();
        say(fleet.shop(shop).name() + " continues");
    }

    private void restartShop(int shop) {
        say("restart " + fleet.shop(shop).name() + " with an orderly shutdown");
        stop(fleet.shop(shop));
        fleet.restartShop(shop);
        say(fleet.shop(shop).name() + " is back");
    }

    /** Injects a fault while an order is in work, which has its lock and can only go on afterwards. */
    private void duringSlowOrder(Fault fault) throws InterruptedException {
        try (KeptRow row = fleet.keepRow(load.hotProduct())) {
            say("an order for " + row.product() + " is slow from now on, and keeps its lock");
            between();
            fault.inject();
        }
        say("the slow order goes on");
    }

    private void killMemoryNode() {
        say("kill -9 the memory node");
        int reports = fleet.memoryNode().restoredHolds().size();
        long from = System.nanoTime();
        fleet.memoryNode().kill();
        ChildProcess again = fleet.restartMemoryNode();
        double seconds = (System.nanoTime() - from) / (double) TimeUnit.SECONDS.toNanos(1);
        say("the memory node is back after %.1f s and %s".formatted(seconds, restored(again, reports)));
    }

    private static String restored(ChildProcess memoryNode, int formerReports) {
        OptionalInt holds = memoryNode.awaitRestoredHolds(formerReports, Programs.FAULTS_LEASE);
        return holds.isPresent() ? "has restored holds: " + holds.getAsInt() : "does not say that it restored holds";
    }

    /** Ends the candidate that serves, twice: by a fault, and in good order. */
    private void endCandidates() throws InterruptedException {
        endCandidate("kill -9 %s, which serves", ChildProcess::kill);
        endCandidate("tell %s, which serves, to end", this::stop);
        between();
        done = FAULTS_OF_CANDIDATES;
    }

    private void endCandidate(String what, Consumer<ChildProcess> end) throws InterruptedException {
        between();
        int serving = fleet.servingCandidate();
        duringSlowOrder(() -> {
            say(what.formatted(fleet.candidate(serving).name()));
            follow(serving, end);
        });
        fleet.restartCandidate(serving);
        say(fleet.candidate(serving).name() + " is back and stands by");
    }

    private void follow(int serving, Consumer<ChildProcess> end) {
        int reports = fleet.candidate(1 - serving).restoredHolds().size();
        end.accept(fleet.candidate(serving));
        ChildProcess follower = fleet.awaitFollower(serving);
        say(follower.name() + " serves now and " + restored(follower, reports));
    }

    private void stop(ChildProcess process) {
        process.stop(Duration.ofSeconds(options.patience()));
    }

    private static void between() throws InterruptedException {
        sleep(BETWEEN);
    }

    private static void sleepUntil(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(nanos - System.nanoTime());
    }

    private static void sleep(Duration time) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(time.toMillis());
    }

    private void say(String what) {
        out.printf(Locale.ROOT, "       FAULT: %s%n", what);
    }

    /** What is done to a process until it, or another one in its place, serves again. */
    @FunctionalInterface
    private interface Fault {
        /** Does it, and returns when the process serves. */
        void inject() throws InterruptedException;
    }
}
