// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.declock.ComputeNodeSettings;
import io.declock.MemoryNodeAddress;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.session.Inquiries;
import io.declock.internal.session.KnownNodeSet;
import io.declock.internal.session.MemoryNodeLink;
import io.declock.internal.session.Surroundings;
import io.declock.spi.ManualTime;
import io.declock.spi.NodeList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** When a process says that it is configured with other memory nodes than those of a list. */
class ConfiguredNodesTest {
    private static final NodeList.Node A = new NodeList.Node("A", "tcp://a:1");
    private static final NodeList.Node B = new NodeList.Node("B", "tcp://b1:1|b2:1");
    private static final NodeList.Node C = new NodeList.Node("C", "tcp://c:1");
    private static final NodeList ONE = new NodeList(1, List.of(A, B), B, true);

    private final ManualTime time = new ManualTime();
    private final Surroundings surroundings =
            new Surroundings(time, time, () -> 0, new NodeCounters(), 1, new KnownNodeSet(1), Inquiries.NONE);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(ConfiguredNodes.class);

    @BeforeEach
    void listen() {
        logged.start();
        logger.addAppender(logged);
    }

    @AfterEach
    void listenNoMore() {
        logger.detachAppender(logged);
    }

    private MemoryNodeLink link(String address) {
        return new MemoryNodeLink(
                MemoryNodeAddress.parse(address),
                new SilentFabric("tcp"),
                ComputeNodeSettings.DEFAULTS,
                surroundings,
                new Deaf());
    }

    private ConfiguredNodes configured(String... addresses) {
        return new ConfiguredNodes(Stream.of(addresses).map(this::link).toList());
    }

    private List<String> said() {
        return logged.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void aListWithTheConfiguredMemoryNodesIsNotWorthAWord() {
        ConfiguredNodes same = configured("tcp://b2:1", "rdma://a:1");
        same.compare(ONE, false);
        same.compare(ONE, true);
        same.compare(NodeList.NONE, true);
        assertThat(said()).isEmpty();
    }

    @Test
    void eachListThatDiffersIsToldOnce() {
        ConfiguredNodes older = configured("tcp://a:1");
        older.compare(ONE, false);
        older.compare(ONE, true);
        assertThat(said())
                .singleElement()
                .asString()
                .contains(
                        "list 1: B at tcp://b1:1|b2:1 is on the list and not configured.",
                        "set declock.memory-nodes to tcp://a:1,tcp://b1:1|b2:1");
        older.compare(new NodeList(2, List.of(A, B, C), C, true), false);
        older.compare(ONE, true);
        assertThat(said()).hasSize(2).last().asString().contains("list 2: B at ", "; C at tcp://c:1 is on the list");
    }

    @Test
    void anAddressThatMayBeAnotherWayToWriteOneOfTheListIsGivenTimeToTell() {
        MemoryNodeLink other = link("tcp://10.0.0.2:1");
        ConfiguredNodes configured = new ConfiguredNodes(List.of(link("tcp://a:1"), other));
        configured.compare(ONE, false);
        other.expect("B");
        configured.compare(ONE, false);
        configured.compare(ONE, true);
        assertThat(said()).isEmpty();
    }

    @Test
    void anAddressThatLeadsElsewhereIsToldAsSoonAsThatIsKnown() {
        MemoryNodeLink other = link("tcp://x:1");
        ConfiguredNodes configured = new ConfiguredNodes(List.of(link("tcp://a:1"), other));
        configured.compare(ONE, false);
        assertThat(said()).isEmpty();
        other.expect("X");
        configured.compare(ONE, false);
        assertThat(said())
                .singleElement()
                .asString()
                .contains(
                        "B at tcp://b1:1|b2:1 is on the list and not configured",
                        "X at tcp://x:1 is configured and not on the list");
    }

    @Test
    void anAddressThatNobodyAnswersAtIsToldOnceTheProcessHasGoneOver() {
        ConfiguredNodes configured = configured("tcp://a:1", "tcp://gone:1");
        configured.compare(ONE, false);
        assertThat(said()).isEmpty();
        configured.compare(ONE, true);
        assertThat(said()).singleElement().asString().contains("tcp://gone:1 is configured and not on the list");
    }
}
