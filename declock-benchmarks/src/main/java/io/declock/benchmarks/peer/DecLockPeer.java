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
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

/** DecLock through its {@code java.util.concurrent} views, one compute node per process. */
public final class DecLockPeer implements LockUnderTest {
    private final NodeCounters counters = new NodeCounters();
    private final ComputeNode node;
    private final PerName<ReadWriteLock> locks;

    private DecLockPeer(String address, ComputeNodeSettings settings, Tuning tuning) {
        node = ComputeNode.builder()
                .memoryNodes(List.of(MemoryNodeAddress.parse(address)))
                .fabric(tuning.openFabric(counters))
                .settings(settings)
                .counters(counters)
                .build();
        locks = new PerName<>(node::lock);
        node.start();
    }

    /** Begins to join the memory node. */
    public static DecLockPeer opened(String address, ComputeNodeSettings settings, Tuning tuning) {
        return new DecLockPeer(address, settings, tuning);
    }

    /** Joins the memory node. */
    public static DecLockPeer joined(String address, String name, Tuning tuning) throws InterruptedException {
        DecLockPeer peer = opened(address, tuning.computeNode(name), tuning);
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
