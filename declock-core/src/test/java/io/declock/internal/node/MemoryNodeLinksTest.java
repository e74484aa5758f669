// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.ComputeNodeSettings;
import io.declock.MemoryNodeAddress;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.session.Inquiries;
import io.declock.internal.session.KnownNodeSet;
import io.declock.internal.session.MemoryNodeLink;
import io.declock.internal.session.Surroundings;
import io.declock.spi.ManualTime;
import io.declock.spi.NodeList;
import io.declock.spi.NodeSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which link leads to a memory node, also while some were never joined. */
class MemoryNodeLinksTest {
    private final ManualTime time = new ManualTime();
    private final SilentFabric tcp = new SilentFabric("tcp");
    private final SilentFabric inProcess = new SilentFabric("inprocess");
    private final MemoryNodeLinks links = new MemoryNodeLinks(
            List.of(tcp, inProcess),
            ComputeNodeSettings.DEFAULTS,
            new Surroundings(time, time, () -> 0, new NodeCounters(), 1, new KnownNodeSet(3), Inquiries.NONE),
            new Deaf());

    private MemoryNodeLink added(String address) {
        links.add(MemoryNodeAddress.parse(address));
        return links.all().get(links.all().size() - 1);
    }

    @Test
    void theOnlyMemoryNodeThatWasNeverJoinedIsTheOneThatNoOtherIs() {
        MemoryNodeLink a = added("tcp://a:1");
        MemoryNodeLink b = added("tcp://b:1");
        MemoryNodeLink c = added("tcp://c:1");
        a.expect("A");
        assertThat(links.linkWith(NodeSet.hash("A"))).isSameAs(a);
        assertThat(links.linkWith(NodeSet.hash("B")))
                .as("one of two that were never joined")
                .isNull();
        b.expect("B");
        assertThat(links.linkWith(NodeSet.hash("B"))).isSameAs(b);
        assertThat(links.linkWith(NodeSet.hash("C"))).as("the last one").isSameAs(c);
        c.expect("C");
        assertThat(links.linkWith(NodeSet.hash("D"))).as("none of them").isNull();
        assertThat(links.ids()).containsExactly("A", "B", "C");
    }

    @Test
    void aLinkIsFoundByItsIdUntilItIsRemoved() {
        MemoryNodeLink first = links.add(new NodeList.Node("A", "tcp://a:1"));
        MemoryNodeLink second = added("tcp://other-name-of-a:1");
        second.expect("A");
        assertThat(links.linkTo("A")).isSameAs(first);
        assertThat(links.only()).as("one of two").isNull();
        links.remove(first);
        assertThat(links.linkTo("A")).isSameAs(second);
        assertThat(links.only()).isSameAs(second);
        assertThat(links.isJoined("A")).isFalse();
        assertThat(links.sessions()).isEmpty();
    }

    @Test
    void aLinkGoesOverTheFabricOfItsAddress() {
        added("inprocess://a").start();
        assertThat(inProcess.asked).containsExactly(MemoryNodeAddress.parse("inprocess://a"));
        assertThat(tcp.asked).isEmpty();
        assertThatThrownBy(() -> links.add(MemoryNodeAddress.parse("rdma://a:1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("rdma needs the module declock-rdma");
        assertThat(links.all()).hasSize(1);
    }

    @Test
    void aProcessWithoutRdmaGoesOverTcpToAnRdmaAddressOfAList() {
        links.add(new NodeList.Node("A", "rdma://a:1")).start();
        assertThat(tcp.asked).extracting(MemoryNodeAddress::host).containsExactly("a");
    }
}
