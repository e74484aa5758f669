// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.scenario;

import io.declock.reliability.cluster.Cluster;
import io.declock.reliability.cluster.Node;
import io.declock.reliability.cluster.WorkerClient;
import io.declock.reliability.cluster.WorkerClient.Grant;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The recovery of a lock: one process is killed by SIGKILL while others wait for a lock that it holds, waits for, resets or serves.
 * Measures the time until the next of them is granted the lock.
 *
 * @param role role of the killed process
 * @param lease lease of all processes
 * @param untilGrant time from the kill to the next grant
 * @param promised bound on that time
 */
public record Recovery(String role, Duration lease, Duration untilGrant, Duration promised) {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int ATTEMPTS = 8;

    /**
     * When the bystander of a reset is stopped, in leases after the holder was killed, one value per attempt: this must be before the
     * reset begins, and so late that the bystander's own lease outlasts that of the holder.
     */
    private static final double[] PAUSE_AT = {0.75, 0.6, 0.9, 0.5};

    private static final Duration SETTLE = Duration.ofMillis(150);

    /** Returns whether the bound was kept. */
    public boolean isInTime() {
        return untilGrant.compareTo(promised) <= 0;
    }

    private static Recovery of(String role, Cluster<?> cluster, long killedAt, Grant grant, Duration promised) {
        return new Recovery(role, cluster.lease(), Duration.ofNanos(grant.atNanos() - killedAt), promised);
    }

    /** Kills the holder. */
    public static Recovery holder(Cluster<?> cluster, int lock) {
        List<? extends Node> nodes = cluster.workers("holder", "waiter", "waiter");
        WorkerClient holder = nodes.get(0).worker();
        Grant first = holder.take("h", lock, true);
        nodes.get(1).worker().hold("w", lock, true);
        Cluster.pause(SETTLE);
        nodes.get(2).worker().hold("w", lock, true);
        Cluster.pause(SETTLE);
        long killedAt = System.nanoTime();
        holder.program().kill();
        Grant next = firstOf(nodes.get(1).worker(), nodes.get(2).worker());
        require(next.token() > first.token(), "the successor's token is higher");
        Recovery recovery = of("holder", cluster, killedAt, next, cluster.bound());
        drain(nodes.get(1).worker(), nodes.get(2).worker(), cluster);
        cluster.dismiss(nodes);
        return recovery;
    }

    /** Kills the first in line, then the holder releases the lock. */
    public static Recovery waiter(Cluster<?> cluster, int lock) {
        List<? extends Node> nodes = cluster.workers("holder", "waiter", "waiter");
        WorkerClient holder = nodes.get(0).worker();
        Grant first = holder.take("h", lock, true);
        nodes.get(1).worker().hold("w", lock, true);
        Cluster.pause(SETTLE);
        nodes.get(2).worker().hold("w", lock, true);
        Cluster.pause(SETTLE);
        long killedAt = System.nanoTime();
        nodes.get(1).worker().program().kill();
        holder.release("h");
        Grant next = nodes.get(2).worker().granted("w", LONG);
        require(next.token() > first.token(), "the successor's token is higher");
        nodes.get(2).worker().release("w");
        cluster.dismiss(nodes);
        return of("waiter, first in line", cluster, killedAt, next, cluster.bound());
    }

    /**
     * Kills the holder, and then a waiter in the middle of its reset of the lock. A fourth process keeps the reset in its middle: it is
     * stopped shortly before the holder's lease expires, and the reset must wait for its acknowledgement or death. On a busy machine the
     * moment may be missed; then the attempt is repeated.
     */
    public static Recovery resetInitiator(Cluster<?> cluster, int lock) {
        return resetInitiator(cluster, lock, true);
    }

    /**
     * The same; {@code inTheMiddle} tells whether the initiator must not have completed the reset before it died. With containers this
     * cannot be required: Docker takes longer to kill one than a reset takes.
     */
    public static Recovery resetInitiator(Cluster<?> cluster, int lock, boolean inTheMiddle) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Recovery recovery = tryResetInitiator(cluster, lock, PAUSE_AT[attempt % PAUSE_AT.length], inTheMiddle);
            if (recovery != null) {
                return recovery;
            }
        }
        throw new IllegalStateException("no initiator was killed in the middle of its reset in " + ATTEMPTS + " tries");
    }

    private static @Nullable Recovery tryResetInitiator(
            Cluster<?> cluster, int lock, double pauseAt, boolean inTheMiddle) {
        List<? extends Node> nodes = cluster.workers("holder", "waiter", "waiter", "bystander");
        nodes.get(0).worker().take("h", lock, true);
        WorkerClient one = nodes.get(1).worker();
        WorkerClient two = nodes.get(2).worker();
        one.hold("w", lock, true);
        Cluster.pause(SETTLE);
        two.hold("w", lock, true);
        Cluster.pause(SETTLE);
        // A container is dead long before Docker has cleaned up after it, and the call to kill it waits for the
        // clean-up.
        CompletableFuture<Void> killing =
                CompletableFuture.runAsync(nodes.get(0).worker().program()::kill);
        Cluster.pause(Duration.ofNanos((long) (cluster.lease().toNanos() * pauseAt)));
        nodes.get(3).worker().program().pause();
        WorkerClient initiator = findInitiator(cluster, one, two);
        if (initiator == null) {
            killing.join();
            nodes.get(3).worker().program().resume();
            cluster.dismiss(nodes);
            return null;
        }
        long killedAt = System.nanoTime();
        initiator.program().kill();
        WorkerClient survivor = initiator.equals(one) ? two : one;
        Grant next = survivor.granted("w", LONG);
        killing.join();
        boolean takenOver = survivor.stats().getOrDefault("resets-taken-over", 0L) > 0;
        survivor.release("w");
        nodes.get(3).worker().program().resume();
        cluster.dismiss(nodes);
        return takenOver || !inTheMiddle ? of("initiator of a reset", cluster, killedAt, next, cluster.bound()) : null;
    }

    /** Returns the initiator of a reset that is not over, or null if the reset is over already. */
    private static @Nullable WorkerClient findInitiator(Cluster<?> cluster, WorkerClient... candidates) {
        long deadline = System.nanoTime() + cluster.bound().toNanos();
        while (System.nanoTime() - deadline < 0) {
            for (WorkerClient candidate : candidates) {
                Map<String, Long> stats = candidate.stats();
                if (stats.getOrDefault("resets-started", 0L) > 0) {
                    return stats.getOrDefault("resets-completed", 0L) == 0 ? candidate : null;
                }
            }
        }
        throw new IllegalStateException("no reset began within " + cluster.bound());
    }

    /** Kills the memory node and starts it again with empty memory, while one process holds the lock and another waits. */
    public static Recovery memoryNode(Cluster<?> cluster, int lock) {
        List<? extends Node> nodes = cluster.workers("holder", "waiter");
        WorkerClient holder = nodes.get(0).worker();
        WorkerClient waiter = nodes.get(1).worker();
        Grant first = holder.take("h", lock, true);
        waiter.hold("w", lock, true);
        Cluster.pause(SETTLE);
        long killedAt = System.nanoTime();
        cluster.memoryNode().kill();
        long startedAt = System.nanoTime();
        cluster.restartMemoryNode();
        Duration start = Duration.ofNanos(System.nanoTime() - startedAt);
        Grant next = waiter.granted("w", LONG);
        require(next.token() > first.token(), "the successor's token is higher than any token before");
        holder.await("lost h");
        require(holder.release("h").equals("released-lost"), "the old holder is told that it lost the lock");
        waiter.release("w");
        require(holder.program().isAlive() && waiter.program().isAlive(), "no application was restarted");
        cluster.dismiss(nodes);
        return of(
                "memory node (its program took " + start.toMillis() + " ms to start)",
                cluster,
                killedAt,
                next,
                cluster.bound().plus(start));
    }

    private static Grant firstOf(WorkerClient one, WorkerClient two) {
        long deadline = System.nanoTime() + LONG.toNanos();
        while (System.nanoTime() - deadline < 0) {
            for (WorkerClient waiter : List.of(one, two)) {
                if (waiter.answers().stream().anyMatch(answer -> answer.startsWith("granted w"))) {
                    return waiter.granted("w", LONG);
                }
            }
            Cluster.pause(Duration.ofMillis(2));
        }
        throw new IllegalStateException("no waiter was granted the lock: " + one.answers() + ", " + two.answers());
    }

    /** Lets both waiters have the lock and release it. */
    private static void drain(WorkerClient one, WorkerClient two, Cluster<?> cluster) {
        one.tell("release w");
        two.tell("release w");
        one.await("released w", cluster.bound());
        two.await("released w", cluster.bound());
    }

    static void require(boolean condition, String what) {
        if (!condition) {
            throw new IllegalStateException("this condition did not hold: " + what);
        }
    }
}
