// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.internal.layout.RecordLayout;
import io.declock.spi.FabricException;
import io.declock.spi.JoinRequest;
import io.declock.spi.ManualTime;
import io.declock.spi.NodeList;
import io.declock.spi.NodeSet;
import io.declock.spi.RecordingListener;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** What a part of a memory node needs below it, with sessions of a memory node that does not know the part. */
final class NodeParts {
    static final Duration LEASE = Duration.ofSeconds(3);

    private static final int RECORDS = 64;

    final ManualTime time = new ManualTime();
    final MemoryNodeSettings settings;
    final NodeBasics basics;
    final HighWaterMark mark = new HighWaterMark(1_000);
    final RecordAllocator allocator;
    final Directory directory;
    final CurrentList current;
    private final AtomicLong random = new AtomicLong(7);
    private final MemoryNode joined;

    NodeParts(String id) {
        settings = MemoryNodeSettings.builder(id)
                .records(RECORDS)
                .queueCapacity(8)
                .maxLease(LEASE)
                .formerLease(LEASE)
                .waitOutOldSessions(false)
                .secondsSince2025(() -> 1_000)
                .build();
        RecordLayout layout = new RecordLayout(settings.queueCapacity());
        Region region = Region.direct(RECORDS, layout.strideBytes());
        basics = new NodeBasics(settings, time, time, region, layout, 1, Term.UNLIMITED);
        allocator = new RecordAllocator(region, layout, mark, RECORDS);
        directory = new Directory(allocator, 5);
        current = new CurrentList(id);
        joined = MemoryNode.create(settings, time, time, () -> random.addAndGet(0x9E3779B97F4A7C15L));
    }

    MemoryNodeSession session(String name) {
        return session(name, true);
    }

    /** A session of a compute node that perhaps knows no lists of memory nodes. */
    MemoryNodeSession session(String name, boolean knowsLists) {
        JoinRequest request = new JoinRequest(name.hashCode(), random.incrementAndGet(), name, "", 0, LEASE.toNanos());
        try {
            return joined.join(request, "", new Abilities(knowsLists, true), new RecordingListener());
        } catch (FabricException.Refused e) {
            throw new AssertionError(e);
        }
    }

    /** Gives a name a record, and returns its index. */
    int record(byte[] name) {
        return directory.resolve(name, new RecordQuota(RECORDS));
    }

    /** Lets the lock of a record reach an epoch. */
    void reach(int record, long epoch) {
        allocator.restore(record, epoch, 0, 0);
    }

    static NodeList.Node node(String id) {
        return new NodeList.Node(id, "tcp://" + id + ":7420");
    }

    /** Returns a name that a list moves from one memory node to another. */
    static byte[] moved(NodeList list, String from, String to) {
        for (int i = 0; ; i++) {
            String name = "name-" + i;
            long hash = NodeSet.hash(name);
            if (list.former().homeOf(hash) == NodeSet.hash(from) && list.set().homeOf(hash) == NodeSet.hash(to)) {
                return name.getBytes(StandardCharsets.UTF_8);
            }
        }
    }

    /** What requests were answered: an epoch for each that was done, and why for each that was refused. */
    static final class Answers {
        final List<Long> done = new ArrayList<>();
        final List<String> refused = new ArrayList<>();

        NodeLists.Answer<Long> next() {
            return new NodeLists.Answer<>(done::add, why -> refused.add(why.getMessage()));
        }
    }
}
