// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.DecLock;
import io.declock.LockMode;
import io.declock.Purpose;
import io.declock.internal.monitor.NodeCounters;
import io.declock.protocols.application.Application;
import io.declock.protocols.application.ApplicationClient;
import io.declock.protocols.application.ApplicationWorld;
import io.declock.protocols.dslr.Dslr;
import io.declock.protocols.fabric.FabricApplications.Participant;
import io.declock.spi.Fabric;
import io.declock.spi.FabricException;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(20)
class FabricApplicationsTest {
    private static final int FIRST_CLIENT = 7;
    private static final int WORDS = 20;
    private static final Duration SESSION = Duration.ofSeconds(10);
    private static final long LEASE = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(30);
    private static final Dslr PROTOCOL =
            Dslr.polling(new Dslr.Settings(LEASE, Dslr.TICKETS, 3, null), TimeUnit.MICROSECONDS.toNanos(5));

    /** What the locks are. */
    enum Kind {
        LITERATURE,
        DECLOCK
    }

    /** What a client asks its world for. */
    enum Request {
        GRANT,
        CHAIN,
        TIMER
    }

    /** What the clients do. */
    @FunctionalInterface
    private interface Script {
        void start(int number, ApplicationWorld world);
    }

    private record Scripted(Consumer<Loader> first, Script script) implements Application {
        @Override
        public String name() {
            return "scripted";
        }

        @Override
        public int locks() {
            return 2;
        }

        @Override
        public long words() {
            return WORDS;
        }

        @Override
        public void load(Loader loader) {
            first.accept(loader);
        }

        @Override
        public ApplicationClient client(int number, ApplicationWorld world) {
            return () -> script.start(number, world);
        }
    }

    private static final class Read extends VerbChain {
        private final Consumer<long[]> told;

        Read(long address, int words, Consumer<long[]> told) {
            this.told = told;
            begin(Purpose.INSPECT).read(address, words);
        }

        @Override
        public void completed(VerbResults results) {
            told.accept(IntStream.range(0, words(0))
                    .mapToLong(word -> results.word(0, word))
                    .toArray());
        }

        @Override
        public void failed(FabricException cause) {
            throw new AssertionError(cause);
        }
    }

    private final LoopbackRig rig = new LoopbackRig();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final List<String> log = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
        rig.close();
    }

    private FabricApplications join(Kind kind, int clients, Consumer<Application.Loader> first, Script script) {
        Fabric fabric = rig.openFabric(new NodeCounters());
        Application application = new Scripted(first, script);
        Participant process = new Participant("process-" + opened.size(), SESSION, FIRST_CLIENT, clients);
        FabricApplications joined;
        if (kind == Kind.DECLOCK) {
            DecLock locks = DecLock.builder()
                    .memoryNodes(rig.address().toString())
                    .fabric(rig.openFabric(new NodeCounters()))
                    .open();
            opened.add(locks);
            joined = FabricApplications.join(locks, application, fabric, rig.address(), process);
        } else {
            joined = FabricApplications.join(PROTOCOL, application, fabric, rig.address(), process);
        }
        opened.add(joined);
        return joined;
    }

    private FabricApplications join(Kind kind, int clients, Script script) {
        return join(kind, clients, loader -> {}, script);
    }

    private void run(Kind kind, int clients, Script script) {
        FabricApplications process = join(kind, clients, script);
        process.start((client, operation, nanos) -> {});
        process.await();
    }

    private static void ask(ApplicationWorld world, Request request, Runnable told) {
        switch (request) {
            case GRANT -> world.acquire(0, LockMode.WRITE, () -> world.release(0, told));
            case CHAIN -> world.post(new Read(world.address(0), 1, words -> told.run()));
            case TIMER -> world.after(1, told);
        }
    }

    private static void pause() {
        try {
            TimeUnit.NANOSECONDS.sleep(PAUSE);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aClientIsToldOneThingAfterTheOther(Kind kind) {
        run(kind, 1, (number, world) -> {
            world.acquire(0, LockMode.WRITE, () -> log.add("granted"));
            world.post(new Read(world.address(0), 1, words -> log.add("answered")));
            world.after(1, () -> log.add("later"));
            pause();
            log.add("asked");
        });
        assertThat(log).startsWith("asked").containsExactlyInAnyOrder("asked", "granted", "answered", "later");
    }

    @ParameterizedTest
    @EnumSource
    void theEndIsAwaitedThroughAllThatAClientAsksFor(Kind kind) {
        run(
                kind,
                1,
                (number, world) -> world.post(new Read(
                        world.address(0),
                        1,
                        words -> world.after(
                                PAUSE,
                                () -> world.acquire(
                                        1,
                                        LockMode.READ,
                                        () -> world.release(1, () -> world.after(PAUSE, () -> log.add("end"))))))));
        assertThat(log).containsExactly("end");
    }

    /** The first client ends before the second begins. */
    @Test
    void theEndIsAwaitedOfEachClient() {
        run(Kind.LITERATURE, 3, (number, world) -> {
            if (number == FIRST_CLIENT) {
                log.add("end of " + number);
            } else {
                world.after((number - FIRST_CLIENT) * PAUSE, () -> log.add("end of " + number));
            }
        });
        assertThat(log).containsExactly("end of 7", "end of 8", "end of 9");
    }

    @Test
    void anOperationIsToldWithItsClientItsKindAndHowLongItTook() {
        record Operation(int client, int kind, long nanos) {}
        List<Operation> operations = new CopyOnWriteArrayList<>();
        FabricApplications process =
                join(Kind.LITERATURE, 2, (number, world) -> world.done(10 * number, world.now() - PAUSE));
        long begun = System.nanoTime();
        process.start((client, kind, nanos) -> operations.add(new Operation(client, kind, nanos)));
        process.await();
        assertThat(operations).extracting(Operation::client).containsExactly(FIRST_CLIENT, FIRST_CLIENT + 1);
        assertThat(operations).allMatch(operation -> operation.kind() == 10 * operation.client());
        assertThat(operations)
                .allSatisfy(
                        operation -> assertThat(operation.nanos()).isBetween(PAUSE, PAUSE + System.nanoTime() - begun));
    }

    private void repeat(ApplicationWorld world, Request request) {
        world.done(0, world.now());
        ask(world, request, () -> repeat(world, request));
    }

    @ParameterizedTest
    @EnumSource
    void aClientThatIsStoppedAsksForNothingAfterItsOperation(Request request) {
        FabricApplications process = join(Kind.LITERATURE, 1, (number, world) -> repeat(world, request));
        process.start((client, kind, nanos) -> {
            log.add("ended");
            if (log.size() == 5) {
                process.stop();
            }
        });
        process.await();
        assertThat(log).hasSize(5);
    }

    @Test
    void aClientThatIsStoppedAsksForNothingAfterItHasGivenUp() {
        FabricApplications process = join(Kind.LITERATURE, 1, (number, world) -> {
            world.after(1, () -> log.add("before"));
            world.aborted();
            world.after(1, () -> log.add("after"));
        });
        process.stop();
        process.start((client, kind, nanos) -> {});
        process.await();
        assertThat(log).containsExactly("before");
    }

    private void visit(ApplicationWorld world, AtomicInteger present, int times) {
        world.acquire(0, LockMode.WRITE, () -> {
            log.add("" + present.incrementAndGet());
            world.after(PAUSE / 6, () -> {
                present.decrementAndGet();
                world.release(0, () -> {
                    if (times > 1) {
                        visit(world, present, times - 1);
                    }
                });
            });
        });
    }

    @ParameterizedTest
    @EnumSource
    void clientsOfOneLockExcludeEachOther(Kind kind) {
        AtomicInteger present = new AtomicInteger();
        run(kind, 2, (number, world) -> visit(world, present, 3));
        assertThat(log).hasSize(6).containsOnly("1");
    }

    @ParameterizedTest
    @EnumSource
    void clientsOfTwoLocksDoNot(Kind kind) {
        AtomicInteger holders = new AtomicInteger();
        run(
                kind,
                2,
                (number, world) -> world.acquire(number - FIRST_CLIENT, LockMode.WRITE, () -> {
                    assertThat(world.turnsLost(number - FIRST_CLIENT)).isZero();
                    holders.incrementAndGet();
                    releaseWhenBothHold(world, number - FIRST_CLIENT, holders);
                }));
        assertThat(log).hasSize(2);
    }

    private void releaseWhenBothHold(ApplicationWorld world, int lock, AtomicInteger holders) {
        if (holders.get() == 2) {
            world.release(lock, () -> log.add("released"));
        } else {
            world.after(PAUSE, () -> releaseWhenBothHold(world, lock, holders));
        }
    }

    @Test
    void aClientHasTheLeasesOfALockOfTheLiteratureAndLeavesItBehind() {
        run(Kind.LITERATURE, 2, (number, world) -> {
            if (number == FIRST_CLIENT) {
                world.acquire(0, LockMode.WRITE, 3, () -> {
                    log.add("left for " + Math.round((world.heldUntil(0) - world.now()) / (double) LEASE) + " leases");
                    world.abandon(0);
                });
            } else {
                world.after(PAUSE, () -> acquireFromTheDead(world));
            }
        });
        assertThat(log).startsWith("left for 3 leases").hasSize(2);
        assertThat(log.get(1)).startsWith("granted").isNotEqualTo("granted with 0 turns lost");
    }

    private void acquireFromTheDead(ApplicationWorld world) {
        world.acquire(0, LockMode.WRITE, () -> {
            log.add("granted with " + world.turnsLost(0) + " turns lost");
            world.release(0, () -> {});
        });
    }

    @Test
    void aClientOfDecLockHoldsUntilItReleasesAndLeavesNothingBehind() {
        run(
                Kind.DECLOCK,
                1,
                (number, world) -> world.acquire(0, LockMode.WRITE, 3, () -> {
                    log.add(world.heldUntil(0) + " " + world.turnsLost(0));
                    assertThatThrownBy(() -> world.abandon(0)).isInstanceOf(UnsupportedOperationException.class);
                    world.release(0, () -> log.add("released"));
                }));
        assertThat(log).containsExactly(Long.MAX_VALUE + " 0", "released");
    }

    /** A record has eight words. */
    @Test
    void wordsThatAreInSeveralRecordsAreApart() {
        long[] written = LongStream.range(100, 110).toArray();
        FabricApplications process = join(Kind.LITERATURE, 1, loader -> loader.write(5, written), (number, world) -> {
            world.post(new Read(
                    world.address(3),
                    9,
                    words -> log.add(LongStream.of(words).boxed().toList().toString())));
        });
        FabricApplications former = join(
                Kind.LITERATURE,
                1,
                loader -> loader.write(0, LongStream.range(500, 500 + WORDS).toArray()),
                (number, world) -> {});
        former.load();
        assertThat(process.read(0, WORDS))
                .containsExactly(LongStream.range(500, 500 + WORDS).toArray());
        process.load();
        long[] all = new long[WORDS];
        System.arraycopy(written, 0, all, 5, written.length);
        for (int word = 0; word < WORDS; word++) {
            assertThat(former.read(word, 1)).as("word %s", word).containsExactly(all[word]);
        }
        assertThat(former.read(0, WORDS)).containsExactly(all);
        process.start((client, kind, nanos) -> {});
        process.await();
        assertThat(log).containsExactly("[0, 0, 100, 101, 102, 103, 104, 105, 106]");
    }
}
