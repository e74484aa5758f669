// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class MemoryNodeAddressTest {
    @Test
    void oneCandidate() {
        MemoryNodeAddress address = MemoryNodeAddress.parse("a1");
        assertThat(address).isEqualTo(new MemoryNodeAddress("tcp", "a1", 7420));
        assertThat(address.candidates()).containsExactly(address);
        assertThat(address.beginningWith(0)).isSameAs(address);
    }

    @Test
    void severalCandidatesHaveTheSchemeOfTheFirst() {
        MemoryNodeAddress address = MemoryNodeAddress.parse("rdma://a1:1 | a2 | rdma://a3:3");
        assertThat(address).hasToString("rdma://a1:1|a2:7420|a3:3");
        assertThat(address.candidates())
                .containsExactly(
                        new MemoryNodeAddress("rdma", "a1", 1),
                        new MemoryNodeAddress("rdma", "a2", 7420),
                        new MemoryNodeAddress("rdma", "a3", 3));
        assertThat(MemoryNodeAddress.parse(address.toString())).isEqualTo(address);
    }

    @Test
    void theyCanBeginWithAnother() {
        MemoryNodeAddress address = MemoryNodeAddress.parse("a|b|c");
        assertThat(address.beginningWith(1)).hasToString("tcp://b:7420|c:7420|a:7420");
        assertThat(address.beginningWith(2)).hasToString("tcp://c:7420|a:7420|b:7420");
    }

    @Test
    void whatCannotBeOneMemoryNodeIsRefused() {
        refused("tcp://a|rdma://b", "same scheme");
        refused("a|b|a", "named twice");
        refused("a||b", "not of the form");
        refused("a|", "not of the form");
        refused("a|b:99999", "above 65535");
    }

    private static void refused(String text, String why) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MemoryNodeAddress.parse(text))
                .withMessageContaining(why);
    }
}
