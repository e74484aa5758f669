// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.LockMode;
import io.declock.Purpose;
import io.declock.protocols.LockClient;
import io.declock.protocols.LockMessage;
import io.declock.protocols.LockOrder;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.LockWorld;
import io.declock.protocols.alock.ALock;
import io.declock.simulation.ProtocolSimulation.Result;
import io.declock.simulation.ProtocolSimulation.Setting;
import io.declock.spi.FabricException;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.util.List;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** ALock with clients that live with the memory node, which {@link ProtocolsTest} does not have. */
class ALockTest {
    private static final int SEEDS = 300;

    private static Setting setting(LockProtocol protocol, int clients, double localShare, int inside) {
        return new Setting(protocol, clients, 2, 12, 0, inside, 1_000, 3_000, 0, localShare);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.5, 0.95, 1})
    void everySeedHoldsEveryPropertyWithLocalClients(double localShare) {
        for (long seed = 0; seed < SEEDS; seed++) {
            int clients = 2 + (int) (seed % 7);
            Setting setting = setting(budgetOf(1 + (int) (seed % 4)), clients, localShare, (int) (seed % 3));
            assertThat(ProtocolSimulation.run(seed, setting).acquisitions())
                    .as("seed %d", seed)
                    .isEqualTo(clients * 12L);
        }
    }

    private static ALock budgetOf(int acquisitions) {
        return new ALock(new ALock.Settings(acquisitions, 200, 1_000));
    }

    @Test
    void aSeedWithLocalClientsReplaysExactly() {
        Setting setting = setting(budgetOf(3), 6, 0.5, 1);
        assertThat(ProtocolSimulation.run(7, setting)).isEqualTo(ProtocolSimulation.run(7, setting));
    }

    /** Alone it swaps the tail, writes the victim and reads the other tail, and on the release swaps the tail back. */
    @Test
    void localClientsNeedNoVerbAndNoMessageThatTravels() {
        Result alone = ProtocolSimulation.run(1, setting(budgetOf(3), 1, 1, 1));
        assertThat(alone.localOperations()).isEqualTo(4 * alone.acquisitions());
        Result contended = ProtocolSimulation.run(1, setting(budgetOf(3), 8, 1, 1));
        for (Result result : List.of(alone, contended)) {
            assertThat(result.acquireVerbs() + result.releaseVerbs() + result.resetVerbs())
                    .isZero();
            assertThat(result.messages()).isZero();
        }
    }

    /** A client that waits in its cohort's queue uses no verb, so only leaders do, one for each budget. */
    @Test
    void remoteWaitersDoNotPollTheMemoryNode() {
        Result contended = ProtocolSimulation.run(1, new Setting(budgetOf(1_000), 8, 1, 20, 0, 4, 1_000, 0, 0));
        System.out.printf("ALock, all remote: %.2f verbs to acquire%n", contended.acquireVerbsEach());
        assertThat(contended.acquireVerbsEach()).isLessThan(3);
    }

    /** The cohort that is passed over waits for as many acquisitions as the budget says. */
    @Test
    void aBudgetIsUsedUpWhileTheOtherCohortWaits() {
        assertThatThrownBy(() -> {
                    for (long seed = 0; seed < SEEDS; seed++) {
                        ProtocolSimulation.run(seed, setting(new Promising(budgetOf(3), 2), 8, 0.5, 1));
                    }
                })
                .isInstanceOf(Violation.class)
                .hasMessageContaining("was passed over 3 times");
    }

    @Test
    void aBudgetThatLetsNobodyInIsRefused() {
        assertThatThrownBy(() -> budgetOf(0)).isInstanceOf(IllegalArgumentException.class);
    }

    /** What is wrong with a spinlock whose local clients do without the adapter: the processor's atomics are not atomic to the adapter's. */
    @Test
    void aLockThatMixesAtomicsOfProcessorAndAdapterIsCaught() {
        for (long seed = 0; seed < SEEDS; seed++) {
            ProtocolSimulation.run(seed, setting(new MixedLock(), 6, 0, 2));
            ProtocolSimulation.run(seed, setting(new MixedLock(), 6, 1, 2));
        }
        assertThatThrownBy(() -> {
                    for (long seed = 0; seed < SEEDS; seed++) {
                        ProtocolSimulation.run(seed, setting(new MixedLock(), 6, 0.5, 2));
                    }
                })
                .isInstanceOf(Violation.class)
                .hasMessageContaining("to WRITE beside writer");
    }

    /** Another lock with a promise that it did not make. */
    private static final class Promising extends DelegatingProtocol {
        private final int mostPassedOver;

        Promising(LockProtocol lock, int mostPassedOver) {
            super(lock);
            this.mostPassedOver = mostPassedOver;
        }

        @Override
        public LockOrder order() {
            LockOrder order = super.order();
            return new LockOrder() {
                @Override
                public Step step(int word, long before, long after) {
                    return order.step(word, before, after);
                }

                @Override
                public int group(boolean local, LockMode mode) {
                    return order.group(local, mode);
                }

                @Override
                public int mostPassedOver() {
                    return mostPassedOver;
                }
            };
        }
    }

    /** A spinlock of one word. */
    private static final class MixedLock implements LockProtocol {
        @Override
        public String name() {
            return "mixed";
        }

        @Override
        public int words() {
            return 1;
        }

        @Override
        public boolean isUnused(long[] words) {
            return words[0] == 0;
        }

        @Override
        public boolean has(LockMode mode) {
            return mode == LockMode.WRITE;
        }

        @Override
        public LockOrder order() {
            return LockOrder.NONE;
        }

        @Override
        public boolean outlivesClients() {
            return false;
        }

        @Override
        public LockClient client(int number, LockWorld world) {
            return new LockClient() {
                @Override
                public void acquire(long lock, LockMode mode, Runnable granted) {
                    swap(lock, 0, number + 1, former -> {
                        if (former == 0) {
                            granted.run();
                        } else {
                            acquire(lock, mode, granted);
                        }
                    });
                }

                @Override
                public void release(long lock, Runnable released) {
                    swap(lock, number + 1, 0, former -> released.run());
                }

                @Override
                public void received(LockMessage message) {}

                private void swap(long lock, long expected, long desired, LongConsumer then) {
                    VerbChain chain = new Then(then).begin(Purpose.ACQUIRE).compareAndSwap(lock, expected, desired);
                    if (world.isLocal()) {
                        world.postLocal(chain);
                    } else {
                        world.post(chain);
                    }
                }
            };
        }
    }

    private static final class Then extends VerbChain {
        private final LongConsumer then;

        Then(LongConsumer then) {
            this.then = then;
        }

        @Override
        public void completed(VerbResults results) {
            then.accept(results.value(0));
        }

        @Override
        public void failed(FabricException cause) {}
    }
}
