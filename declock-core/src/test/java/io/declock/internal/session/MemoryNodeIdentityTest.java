// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.MemoryNodeAddress;
import io.declock.spi.FormerMemoryNode;
import io.declock.spi.JoinReply;
import io.declock.spi.Membership;
import io.declock.spi.NodeSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is known of the memory node at an address (rule C8). */
class MemoryNodeIdentityTest {
    private static final MemoryNodeAddress ADDRESS = MemoryNodeAddress.parse("a|b");

    private final MemoryNodeIdentity identity = new MemoryNodeIdentity(ADDRESS);

    private static JoinReply reply(String id, long life) {
        return new JoinReply(
                id, life, "192.0.2.7:7420", 1, 1, 8, 1 << 20, 1, 0, new Membership(1, List.of()), NodeSet.NONE);
    }

    @Test
    void anyMemoryNodeIsWelcomeWhileNoneIsKnown() {
        assertThat(identity.id()).isEmpty();
        assertThat(identity.former()).isEqualTo(FormerMemoryNode.NONE);
        assertThat(identity.refusalOf(ADDRESS, "mn")).isNull();
    }

    @Test
    void theIdThatAListTellsCountsUnlessOneIsKnown() {
        identity.expect("told");
        assertThat(identity.id()).isEqualTo("told");
        assertThat(identity.idHash()).isEqualTo(NodeSet.hash("told"));
        assertThat(identity.former()).as("it was never joined").isEqualTo(FormerMemoryNode.NONE);
        identity.expect("later");
        assertThat(identity.id()).isEqualTo("told");
    }

    @Test
    void aSessionTellsIdAndLife() {
        identity.joined(reply("mn", 5));
        assertThat(identity.id()).isEqualTo("mn");
        assertThat(identity.idHash()).isEqualTo(NodeSet.hash("mn"));
        identity.joined(reply("mn", 6));
        assertThat(identity.former()).isEqualTo(new FormerMemoryNode(6, "192.0.2.7:7420"));
        identity.expect("other");
        assertThat(identity.id()).isEqualTo("mn");
    }

    @Test
    void anotherMemoryNodeAtTheAddressIsRefusedWithTheNameOfTheCandidate() {
        identity.joined(reply("mn", 5));
        assertThat(identity.refusalOf(ADDRESS, "mn")).isNull();
        assertThat(identity.refusalOf(MemoryNodeAddress.parse("b|a"), "stranger"))
                .hasMessageContaining("'mn'")
                .hasMessageContaining("tcp://b:7420 calls itself 'stranger'")
                .hasMessageContaining("take tcp://b:7420 off the list of candidates");
    }
}
