// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.ComputeNodeSettings;
import io.declock.internal.inprocess.InProcessFabric;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.session.MemoryNodeLink;
import io.declock.internal.session.NodeSession;
import io.declock.spi.Fabric;
import io.declock.spi.ManualTime;
import io.declock.spi.NodeSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The memory nodes of a process are told of the whole set (rule C11). {@code MemoryNodeDownAtStartTest} shows what that is for. */
class MemoryNodesTest {
    private static final NodeSet SET = NodeSet.of(List.of("A", "B"));

    private final ManualTime time = new ManualTime();
    private final List<Fabric> fabrics = new ArrayList<>(List.of(fabric("A"), fabric("B")));
    private final NodeRuntime runtime = new NodeRuntime("test", time, time, () -> 7, null, Runnable::run, null);
    private final MemoryNodes nodes = new MemoryNodes(
            fabrics.stream().map(each -> ((InProcessFabric) each).address()).toList(),
            fabrics,
            ComputeNodeSettings.DEFAULTS,
            runtime,
            new NodeCounters(),
            new LockTable(null, 100));

    private Fabric fabric(String id) {
        MemoryNodeSettings settings = MemoryNodeSettings.builder(id)
                .records(8)
                .waitOutOldSessions(false)
                .build();
        return InProcessFabric.open(MemoryNode.create(settings, time, time, () -> 7), new NodeCounters());
    }

    private void start() {
        nodes.components().forEach(each -> each.start().run());
        time.advance(Duration.ofSeconds(1));
        assertThat(nodes.links()).allMatch(link -> link.session() != null);
    }

    @Test
    void eachIsToldOfTheSet() {
        start();
        assertThat(nodes.links())
                .extracting(link -> link.session().declaredSet())
                .containsExactly(SET, SET);
    }

    /** Its session was not to be found yet when another memory node told the set, and had agreed to none before that. */
    @Test
    void oneWhoseSessionBeginsJustWhenTheSetIsLearntIsToldOfItToo() {
        start();
        MemoryNodeLink late = nodes.links().iterator().next();
        NodeSession session = late.session();
        session.declaredSet(NodeSet.NONE);
        nodes.joined(late, session);
        assertThat(session.declaredSet()).isEqualTo(SET);
    }
}
