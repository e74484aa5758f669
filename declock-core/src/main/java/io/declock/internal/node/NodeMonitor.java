// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.ComputeNodeMonitor;
import io.declock.LockRecordView;
import io.declock.LockView;
import io.declock.MemoryNodeView;
import io.declock.Purpose;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.layout.RecordLayout;
import io.declock.internal.layout.ResetClaim;
import io.declock.internal.local.KeptLocks;
import io.declock.internal.local.LocalLock;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.session.MemoryNodeLink;
import io.declock.internal.session.NodeSession;
import io.declock.internal.time.Clock;
import io.declock.spi.FabricException;
import io.declock.spi.Member;
import io.declock.spi.Resolution;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Shows the state of a compute node. Thread-safe. */
final class NodeMonitor implements ComputeNodeMonitor {
    private final Clock clock;
    private final MemoryNodes memoryNodes;
    private final LockTable table;
    private final KeptLocks kept;
    private final Callers callers;
    private final NodeCounters counters;

    NodeMonitor(
            Clock clock,
            MemoryNodes memoryNodes,
            LockTable table,
            KeptLocks kept,
            Callers callers,
            NodeCounters counters) {
        this.clock = clock;
        this.memoryNodes = memoryNodes;
        this.table = table;
        this.kept = kept;
        this.callers = callers;
        this.counters = counters;
    }

    @Override
    public List<MemoryNodeView> memoryNodes() {
        return memoryNodes.links().stream().map(MemoryNodeLink::view).toList();
    }

    @Override
    public Map<String, Object> fabricDetails() {
        return memoryNodes.fabricDetails();
    }

    @Override
    public Duration eventLoopLag() {
        return memoryNodes.eventLoopLag();
    }

    @Override
    public List<LockView> locks(int limit) {
        List<LockView> views = new ArrayList<>();
        for (LocalLock lock : table.all()) {
            if (views.size() >= limit) {
                break;
            }
            LockViews.collect(lock, memoryNodeId(lock.name()), clock.nanoTime(), views);
        }
        return views.size() > limit ? List.copyOf(views.subList(0, limit)) : List.copyOf(views);
    }

    @Override
    public List<LockView> locksNamed(String name) {
        List<LockView> views = new ArrayList<>();
        LocalLock lock = table.find(name);
        if (lock != null) {
            LockViews.collect(lock, memoryNodeId(name), clock.nanoTime(), views);
        }
        return List.copyOf(views);
    }

    @Override
    public @Nullable Home homeOf(String name) {
        return memoryNodes.linkOf(name);
    }

    private String memoryNodeId(String name) {
        MemoryNodeLink link = memoryNodes.linkOf(name);
        return link == null ? "" : link.memoryNodeId();
    }

    @Override
    public long heldNow() {
        return callers.heldNow();
    }

    @Override
    public Duration longestHold() {
        // Mostly nothing is held, and the table may be large.
        return heldNow() == 0 ? Duration.ZERO : LongestHold.of(table.all(), clock.nanoTime());
    }

    @Override
    public int keptNow() {
        return kept.unused();
    }

    @Override
    public long waitingNow() {
        return callers.waitingNow();
    }

    @Override
    public int tableSize() {
        return table.size();
    }

    @Override
    public NodeCounters counters() {
        return counters;
    }

    @Override
    public CompletionStage<Optional<LockRecordView>> inspect(String name) {
        LockTable.checkName(name);
        MemoryNodeLink link = memoryNodes.linkOf(name);
        NodeSession session = link == null ? null : link.session();
        if (link == null || session == null) {
            return CompletableFuture.failedFuture(memoryNodes.unavailable(name, link));
        }
        return session.fabric()
                .control()
                .lookUp(memoryNodes.fullName(name))
                .thenCompose(found -> found.isEmpty()
                        ? CompletableFuture.completedFuture(Optional.<LockRecordView>empty())
                        : read(name, link, session, found.get()));
    }

    private static CompletionStage<Optional<LockRecordView>> read(
            String name, MemoryNodeLink link, NodeSession session, Resolution found) {
        CompletableFuture<Optional<LockRecordView>> result = new CompletableFuture<>();
        session.post(
                new VerbChain() {
                    @Override
                    public void completed(VerbResults results) {
                        result.complete(
                                Optional.of(decode(name, link.memoryNodeId(), session, found.record(), results)));
                    }

                    @Override
                    public void failed(FabricException cause) {
                        result.completeExceptionally(cause);
                    }
                }.begin(Purpose.INSPECT)
                        .read(found.record(), session.layout().words())
                        .read(session.layout().claim(found.record()), 1));
        return result;
    }

    private static LockRecordView decode(
            String name, String memoryNode, NodeSession session, long record, VerbResults words) {
        RecordLayout layout = session.layout();
        long header = words.word(0, 0);
        long epoch = words.word(0, 1);
        List<LockRecordView.Entry> entries = new ArrayList<>();
        for (int index = LockHeader.head(header); index < LockHeader.tail(header); index++) {
            long entry = words.word(0, 2 + layout.slot(index));
            if (QueueEntry.isValid(entry, layout.version(index), epoch)) {
                Member member = session.membership().byNodeId(QueueEntry.nodeId(entry));
                entries.add(new LockRecordView.Entry(
                        index,
                        QueueEntry.isExclusive(entry),
                        QueueEntry.nodeId(entry),
                        member == null ? "" : member.name()));
            }
        }
        return new LockRecordView(
                name,
                memoryNode,
                record,
                epoch,
                LockHeader.head(header),
                LockHeader.size(header),
                LockHeader.writers(header),
                LockHeader.isInReset(header) ? ResetClaim.nodeId(words.word(1, 0)) : 0,
                entries);
    }
}
