// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.LockMode;
import io.declock.protocols.LockClient;
import io.declock.protocols.LockMessage;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.LockWorld;
import io.declock.protocols.cas.CasLock;
import io.declock.protocols.mcs.McsLock;
import io.declock.protocols.soul.Region;
import io.declock.protocols.soul.Soul;
import io.declock.simulation.ProtocolSimulation.Setting;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What {@link ProtocolSimulation} says of locks that break a promise, each of them one. */
class BrokenLocksTest {
    private static final int SEEDS = 50;
    private static final LockProtocol LOCK = CasLock.spinning();

    private static Setting setting(LockProtocol protocol, int deaths) {
        return new Setting(protocol, 5, 1, 10, 0.5, 2, 1_000, 3_000, deaths);
    }

    private static void assertViolation(LockProtocol protocol, int deaths, String what) {
        assertThatThrownBy(() -> {
                    for (long seed = 0; seed < SEEDS; seed++) {
                        ProtocolSimulation.run(seed, setting(protocol, deaths));
                    }
                })
                .isInstanceOf(Violation.class)
                .hasMessageContaining(what);
    }

    /** A reader comes to a writer in some seeds, and a writer to readers in others. */
    @Test
    void readersThatAskNobodyAreSeenWhoeverComesFirst() {
        LockProtocol broken = new DelegatingProtocol(LOCK) {
            @Override
            public LockClient client(int number, LockWorld world) {
                return new HastyReader(super.client(number, world));
            }
        };
        Set<String> seen = new TreeSet<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            try {
                ProtocolSimulation.run(seed, setting(broken, 0));
            } catch (Violation e) {
                seen.add(e.getMessage().replaceAll("[0-9]+", "n"));
            }
        }
        assertThat(seen)
                .hasSize(2)
                .anySatisfy(message -> assertThat(message).contains("to READ beside writer n and n readers"))
                .anySatisfy(message -> assertThat(message).contains("to WRITE beside writer -n and n readers"));
    }

    /** Grants the lock to itself, to read. */
    private static class HastyReader implements LockClient {
        private final LockClient client;
        private boolean reads;

        HastyReader(LockClient client) {
            this.client = client;
        }

        @Override
        public void acquire(long lock, LockMode mode, Runnable granted) {
            reads = mode == LockMode.READ;
            if (reads) {
                granted.run();
            } else {
                client.acquire(lock, mode, granted);
            }
        }

        @Override
        public void release(long lock, Runnable released) {
            if (reads) {
                released.run();
            } else {
                client.release(lock, released);
            }
        }

        @Override
        public void received(LockMessage message) {
            client.received(message);
        }
    }

    @Test
    void aClientThatIsNeverGrantedALockIsSeen() {
        LockProtocol broken = new DelegatingProtocol(LOCK) {
            @Override
            public LockClient client(int number, LockWorld world) {
                return number == 3
                        ? new HastyReader(super.client(number, world)) {
                            @Override
                            public void acquire(long lock, LockMode mode, Runnable granted) {}
                        }
                        : super.client(number, world);
            }
        };
        assertViolation(broken, 0, "progress: 1 clients wait for ever");
    }

    @Test
    void wordsThatAreNotThoseOfAnUnusedLockAreSeen() {
        LockProtocol broken = new DelegatingProtocol(LOCK) {
            @Override
            public boolean isUnused(long[] words) {
                return words[0] == 1;
            }
        };
        assertViolation(broken, 0, "at rest: lock 0 is [0]");
    }

    @Test
    void aWriteThatIsLostIsSeen() {
        LockProtocol broken = new DelegatingProtocol(new Soul(List.of(new Region(0, 2)))) {
            @Override
            public LockClient client(int number, LockWorld world) {
                LockClient client = super.client(number, world);
                return new LockClient() {
                    @Override
                    public void acquire(long lock, LockMode mode, Runnable granted) {
                        client.acquire(lock, mode, granted);
                    }

                    @Override
                    public void release(long lock, Runnable released) {
                        client.release(lock, released);
                    }

                    @Override
                    public long[] guarded(long lock) {
                        return client.guarded(lock).clone();
                    }

                    @Override
                    public void received(LockMessage message) {
                        client.received(message);
                    }
                };
            }
        };
        assertViolation(broken, 0, "data: word 0 of lock 0");
    }

    /** Somebody dies while it holds the lock, and nothing gives that back. */
    @Test
    void aLockThatDoesNotOutliveItsClientsIsSeen() {
        assertViolation(new McsLock(), 1, "progress");
    }
}
