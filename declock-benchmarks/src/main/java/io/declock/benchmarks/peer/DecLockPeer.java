// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.peer;

import io.declock.ComputeNodeSettings;
import io.declock.Counters;
import io.declock.LockMode;
import io.declock.MemoryNodeAddress;
import io.declock.Purpose;
import io.declock.Verb;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.node.ComputeNode;
import io.declock.spi.Fabric;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.jspecify.annotations.Nullable;

/** DecLock through its {@code java.util.concurrent} views, one compute node per process. */
public final class DecLockPeer implements LockUnderTest {
    private final NodeCounters counters;
    private final ComputeNode node;
    private final PerName<ReadWriteLock> locks;

    private DecLockPeer(
            String address,
            ComputeNodeSettings settings,
            Fabric fabric,
            NodeCounters counters,
            @Nullable Executor completions) {
        this.counters = counters;
        node = ComputeNode.builder()
                .memoryNodes(List.of(MemoryNodeAddress.parse(address)))
                .fabric(fabric)
                .settings(settings)
                .counters(counters)
                .completions(completions)
                .build();
        locks = new PerName<>(node::lock);
        node.start();
    }

    /** Begins to join the memory node. */
    public static DecLockPeer opened(String address, ComputeNodeSettings settings, Tuning tuning) {
        NodeCounters counters = new NodeCounters();
        return new DecLockPeer(address, settings, tuning.openFabric(counters), counters, null);
    }

    /** Joins the memory node. */
    public static DecLockPeer joined(String address, String name, Tuning tuning) throws InterruptedException {
        DecLockPeer peer = opened(address, tuning.computeNode(name), tuning);
        peer.awaitReady();
        return peer;
    }

    /** Joins the memory node by a fabric that has another session there. */
    static DecLockPeer beside(String address, String name, Tuning tuning, Fabric fabric, NodeCounters counters)
            throws InterruptedException {
        Executor completions = tuning.directCompletions() ? Runnable::run : null;
        DecLockPeer peer = new DecLockPeer(address, tuning.computeNode(name), fabric, counters, completions);
        peer.awaitReady();
        return peer;
    }

    /** Waits until it has joined. */
    public void awaitReady() throws InterruptedException {
        if (!node.awaitReady(Duration.ofMinutes(2))) {
            throw new IllegalStateException("not ready: " + node.monitor().memoryNodes());
        }
    }

    @Override
    public Held lock(String name, LockMode mode) {
        ReadWriteLock both = locks.get(name);
        Lock lock = mode.isExclusive() ? both.writeLock() : both.readLock();
        lock.lock();
        return lock::unlock;
    }

    /** The hand-over load has one lock, so any waiting caller waits for that lock. */
    @Override
    public boolean isAwaited(String name) {
        return node.monitor().waitingNow() > 0;
    }

    /** Returns the compute node. */
    public ComputeNode node() {
        return node;
    }

    @Override
    public Map<String, Long> counters() {
        return counters(counters);
    }

    /** Returns counters under readable names: events, and verbs as {@code PURPOSE.VERB}. */
    static Map<String, Long> counters(Counters counters) {
        Map<String, Long> map = new LinkedHashMap<>();
        for (Counters.Event event : Counters.Event.values()) {
            map.put(event.name().toLowerCase(Locale.ROOT), counters.get(event));
        }
        for (Purpose purpose : Purpose.values()) {
            for (Verb verb : Verb.values()) {
                long count = counters.verbs(purpose, verb);
                if (count > 0) {
                    map.put(verbKey(purpose, verb), count);
                }
            }
        }
        return map;
    }

    private static String verbKey(Purpose purpose, Verb verb) {
        return "verb." + (purpose + "." + verb).toLowerCase(Locale.ROOT);
    }

    @Override
    public void close() {
        node.close();
    }
}
