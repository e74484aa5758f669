// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.chains;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.Purpose;
import io.declock.spi.FabricException;
import io.declock.spi.TestChain;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rule G2, the compute node's side. */
class ChainWindowTest {
    private final ChainWindow window = new ChainWindow(4);
    private final List<String> sent = new ArrayList<>();
    private final List<TestChain> chains = new ArrayList<>();

    private void post(int count) {
        for (int i = 0; i < count; i++) {
            TestChain chain = TestChain.forPurpose(Purpose.ACQUIRE);
            chain.fetchAndAdd(8L * chains.size(), 1);
            chains.add(chain);
            window.add(chain);
        }
        send();
    }

    private void send() {
        window.send((sequence, oldest, chain) -> sent.add(sequence + "/" + oldest + ":" + chain.address(0) / 8), 0);
    }

    private List<String> takeSent() {
        List<String> taken = List.copyOf(sent);
        sent.clear();
        return taken;
    }

    private void answer(int sequence) {
        assertThat(window.inFlight(sequence)).isSameAs(chains.get(sequence));
        window.answered(sequence, 0);
    }

    @Test
    void chainsAreNumberedAndConfirmAnswers() {
        post(2);
        answer(0);
        post(1);
        assertThat(takeSent()).containsExactly("0/0:0", "1/0:1", "2/1:2");
        assertThat(window.inFlight(0)).as("answered").isNull();
        assertThat(window.inFlight(3)).as("not sent").isNull();
    }

    @Test
    void theWindowIsBounded() {
        post(6);
        assertThat(takeSent()).hasSize(4);
        answer(0);
        send();
        assertThat(takeSent()).containsExactly("4/1:4");
    }

    @Test
    void whatWasNotExecutedIsSentAgainInOrderBeforeWhatWaits() {
        post(6);
        answer(0);
        takeSent();
        assertThat(window.resume(2, 0)).isTrue();
        assertThat(window.inFlight(2)).as("not sent on this connection").isNull();
        send();
        assertThat(takeSent()).containsExactly("2/1:2", "3/1:3", "4/1:4");
        answer(1);
        answer(2);
        send();
        assertThat(takeSent()).containsExactly("5/3:5");
    }

    @Test
    void aResumptionElsewhereIsRefused() {
        post(3);
        answer(0);
        assertThat(window.resume(0, 0)).as("before an answer that has arrived").isFalse();
        assertThat(window.resume(4, 0)).as("behind what was sent").isFalse();
        assertThat(window.resume(1, 0)).isTrue();
        assertThat(window.resume(3, 0)).isTrue();
    }

    @Test
    void theEndFailsAll() {
        post(6);
        answer(1);
        window.resume(1, 0);
        window.failAll(new FabricException("over"));
        for (int i = 0; i < 6; i++) {
            assertThat(chains.get(i).ends).as("chain %d", i).hasValue(i == 1 ? 0 : 1);
        }
        takeSent();
        send();
        assertThat(sent).isEmpty();
    }
}
