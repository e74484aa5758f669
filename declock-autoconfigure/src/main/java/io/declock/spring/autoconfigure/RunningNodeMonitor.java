// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.ComputeNodeMonitor;
import io.declock.Counters;
import io.declock.DecLockException;
import io.declock.LockRecordView;
import io.declock.LockView;
import io.declock.MemoryNodeView;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.node.ComputeNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Monitors the compute node that is running at the time of the call; shows nothing while none runs. Thread-safe. */
final class RunningNodeMonitor implements ComputeNodeMonitor {
    private static final Counters NOTHING = new NodeCounters();

    private final DecLockNode node;

    RunningNodeMonitor(DecLockNode node) {
        this.node = node;
    }

    private <T> T ask(Function<ComputeNodeMonitor, T> question, T otherwise) {
        ComputeNode current = node.current();
        return current == null ? otherwise : question.apply(current.monitor());
    }

    @Override
    public List<MemoryNodeView> memoryNodes() {
        return ask(ComputeNodeMonitor::memoryNodes, List.of());
    }

    @Override
    public @Nullable Home homeOf(String name) {
        ComputeNode current = node.current();
        return current == null ? null : current.monitor().homeOf(name);
    }

    @Override
    public List<LockView> locks(int limit) {
        return ask(monitor -> monitor.locks(limit), List.of());
    }

    @Override
    public List<LockView> locksNamed(String name) {
        return ask(monitor -> monitor.locksNamed(name), List.of());
    }

    @Override
    public long heldNow() {
        return ask(ComputeNodeMonitor::heldNow, 0L);
    }

    @Override
    public Duration longestHold() {
        return ask(ComputeNodeMonitor::longestHold, Duration.ZERO);
    }

    @Override
    public int keptNow() {
        return ask(ComputeNodeMonitor::keptNow, 0);
    }

    @Override
    public long waitingNow() {
        return ask(ComputeNodeMonitor::waitingNow, 0L);
    }

    @Override
    public int tableSize() {
        return ask(ComputeNodeMonitor::tableSize, 0);
    }

    @Override
    public Counters counters() {
        return ask(ComputeNodeMonitor::counters, NOTHING);
    }

    @Override
    public Map<String, Object> fabricDetails() {
        return ask(ComputeNodeMonitor::fabricDetails, Map.of());
    }

    @Override
    public Duration eventLoopLag() {
        return ask(ComputeNodeMonitor::eventLoopLag, Duration.ZERO);
    }

    @Override
    public CompletionStage<Optional<LockRecordView>> inspect(String name) {
        ComputeNode current = node.current();
        return current == null
                ? CompletableFuture.failedStage(new DecLockException("The compute node is not running"))
                : current.monitor().inspect(name);
    }
}
