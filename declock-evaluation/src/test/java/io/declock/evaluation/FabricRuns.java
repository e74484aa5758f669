// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.ComputeNodeSettings;
import io.declock.DecLock;
import io.declock.MemoryNodeAddress;
import io.declock.evaluation.index.BTree;
import io.declock.evaluation.index.EndingLoad;
import io.declock.evaluation.index.IndexLoad;
import io.declock.evaluation.index.IndexWorkload;
import io.declock.evaluation.index.TreeCheck;
import io.declock.evaluation.index.TreeHistory;
import io.declock.evaluation.store.CacheLoad;
import io.declock.evaluation.store.CacheWorkload;
import io.declock.evaluation.store.EndingCacheLoad;
import io.declock.evaluation.store.ObjectStore;
import io.declock.evaluation.store.StoreHistory;
import io.declock.protocols.Backoff;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.alock.ALock;
import io.declock.protocols.application.Application;
import io.declock.protocols.cas.CasLock;
import io.declock.protocols.dslr.Dslr;
import io.declock.protocols.fabric.FabricApplications;
import io.declock.protocols.fabric.FabricApplications.Participant;
import io.declock.protocols.mcs.McsLock;
import io.declock.protocols.shiftlock.ShiftLock;
import io.declock.protocols.soul.Region;
import io.declock.protocols.soul.Soul;
import io.declock.spi.Fabric;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs the object store and the index in two processes' worth of clients at a memory node, and checks what they saw. */
public final class FabricRuns implements AutoCloseable {
    /** Clients of a process. */
    public static final int CLIENTS = 8;

    private static final int PROCESSES = 2;
    /** No process dies here, and an emulated machine may stand still for seconds. */
    private static final Duration LEASE = Duration.ofSeconds(30);

    private static final int KEYS = 200;
    private static final long NEVER = Duration.ofMinutes(10).toNanos();
    private static final long PAUSE = 1_000;
    private static final Backoff BACKOFF = Backoff.truncatedExponential(100, 3_200, 2_000);

    /** The locks. */
    public enum Lock {
        CAS(CasLock.with(BACKOFF)),
        MCS(new McsLock()),
        DSLR(Dslr.plus(new Dslr.Settings(NEVER, Dslr.TICKETS), BACKOFF)),
        SHIFTLOCK(new ShiftLock(new ShiftLock.Settings(NEVER, ShiftLock.WRITERS_IN_A_ROW, PAUSE))),
        ALOCK(new ALock(new ALock.Settings(8, PAUSE, PAUSE))),
        SOUL(new Soul(List.of(new Region(0, 1)))),
        DECLOCK(null);

        private final @Nullable LockProtocol protocol;

        Lock(@Nullable LockProtocol protocol) {
            this.protocol = protocol;
        }
    }

    private final MemoryNodeAddress address;
    private final Supplier<Fabric> fabrics;
    private final List<AutoCloseable> opened = new ArrayList<>();

    /**
     * Makes it.
     *
     * @param fabrics opens a fabric, as another process would
     */
    public FabricRuns(MemoryNodeAddress address, Supplier<Fabric> fabrics) {
        this.address = address;
        this.fabrics = fabrics;
    }

    /** Joins as a process. */
    FabricApplications process(int index, Lock lock, Application application) {
        Fabric fabric = fabrics.get();
        opened.add(fabric);
        Participant process = new Participant("process-" + index, LEASE, index * CLIENTS, CLIENTS);
        FabricApplications joined;
        if (lock.protocol == null) {
            DecLock locks = DecLock.builder()
                    .memoryNodes(address.toString())
                    .fabric(fabrics.get())
                    .settings(ComputeNodeSettings.builder().lease(LEASE).build())
                    .open();
            opened.add(locks);
            joined = FabricApplications.join(locks, application, fabric, address, process);
        } else {
            joined = FabricApplications.join(lock.protocol, application, fabric, address, process);
        }
        opened.add(joined);
        return joined;
    }

    /** Runs clients until they have nothing to do any more; returns the data. */
    private LongUnaryOperator run(Lock lock, Application application, int requests) {
        List<FabricApplications> processes = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            processes.add(process(i, lock, application));
        }
        processes.get(0).load();
        AtomicInteger ended = new AtomicInteger();
        processes.forEach(each -> each.start((client, kind, nanos) -> {
            assertThat(nanos).isPositive();
            ended.getAndIncrement();
        }));
        processes.forEach(FabricApplications::await);
        assertThat(ended).hasValue(PROCESSES * CLIENTS * requests);
        return word -> processes.get(0).read(word, 1)[0];
    }

    /** Runs an object store. */
    public void storesObjects(Lock lock, int requests) {
        int valueBytes = 2_000;
        CacheWorkload.Figures figures = new CacheWorkload.Figures("mixed", 36, valueBytes, .5, .2, .1, .2, 0.9);
        CacheLoad load = new EndingCacheLoad(new CacheWorkload(figures, 20), requests);
        StoreHistory history = new StoreHistory(load, valueBytes / 16);
        run(lock, new ObjectStore(new ObjectStore.Settings(10, 16, 7), load, history), requests);
        history.check();
        assertThat(history.reads()).isGreaterThan(PROCESSES * CLIENTS * requests / 4);
    }

    /** Runs an index. */
    public void indexesKeys(Lock lock, boolean localLocks, int requests) {
        IndexWorkload.Shares shares = new IndexWorkload.Shares("all", .5, .1, .05);
        IndexLoad load = new EndingLoad(new IndexWorkload(shares, new IndexWorkload.Keys(KEYS, 20, 0.5, 30)), requests);
        TreeHistory history = new TreeHistory(load, KEYS);
        BTree.Settings settings = new BTree.Settings(32, 300, 300, 2, CLIENTS, localLocks);
        LongUnaryOperator words = run(lock, new BTree(settings, load, history), requests);
        history.check();
        history.checkAtRest(TreeCheck.entries(settings, words));
    }

    @Override
    public void close() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }
}
