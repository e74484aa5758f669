// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.test;

import io.declock.LockHandle;
import io.declock.LockInterruptedException;
import io.declock.LockLostException;
import io.declock.LockNames;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.LockView;
import io.declock.internal.local.LocalLock;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.node.ComputeNode;
import io.declock.internal.protocol.CqlEnvironment;
import io.declock.spring.autoconfigure.test.ApplicationNode;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.springframework.beans.factory.ObjectProvider;

/**
 * The locks of the application under test, and what can happen to them: another instance holds one, the application loses one, the memory
 * node is unavailable. A bean of each application context that a test uses. Nothing is simulated: the application and the other instance
 * talk the real protocol with a real memory node, which runs inside the test's process. Thread-safe.
 *
 * <pre>{@code
 * @Test
 * void anOrderIsRolledBackIfItsLockIsLost(@Autowired TestLocks locks) {
 *     warehouse.whilePacking(() -> locks.lose("order:42"));
 *     assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> orders.ship(42));
 * }
 * }</pre>
 */
public final class TestLocks {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final ApplicationNode application;
    private final SeverableFabricFactory fabric;
    private final ObjectProvider<OtherInstance> other;
    private final Set<LockHandle> elsewhere = ConcurrentHashMap.newKeySet();

    TestLocks(ApplicationNode application, SeverableFabricFactory fabric, ObjectProvider<OtherInstance> other) {
        this.application = application;
        this.fabric = fabric;
        this.other = other;
    }

    /** An interval in which the memory node is unavailable; {@link #close} ends it. */
    public interface Outage extends AutoCloseable {
        /** Makes the memory node available again, and waits until the application has joined it. */
        @Override
        void close();
    }

    // ---------------------------------------------------------------- looking

    /** {@return the locks that the application holds now, each with its mode, owner, token and age} */
    public List<LockView> held() {
        return inState(LockView.State.HELD);
    }

    /** {@return the locks for which callers of the application wait now} */
    public List<LockView> waiting() {
        return inState(LockView.State.WAITING);
    }

    private List<LockView> inState(LockView.State state) {
        return application.running().monitor().locks(Integer.MAX_VALUE).stream()
                .filter(view -> view.state() == state)
                .toList();
    }

    // ---------------------------------------------------------------- another instance

    /**
     * Lets another instance of the application hold a lock for writing: a second process, as far as the application can see.
     *
     * @param name the lock's name
     * @return the other instance's hold; closing it releases the lock
     */
    public LockHandle holdElsewhere(String name) {
        return holdElsewhere(LockRequest.write(name));
    }

    /**
     * Lets another instance of the application hold locks.
     *
     * @param request what the other instance asks for; it waits {@code 10s} unless the request says otherwise
     * @return the other instance's hold; closing it releases the locks
     * @throws io.declock.LockNotGrantedException if the locks were not granted in time, usually because the application holds one
     */
    public LockHandle holdElsewhere(LockRequest request) {
        try {
            LockHandle handle = other.getObject().locks().acquire(request, LockOwner.named("another instance"));
            elsewhere.removeIf(earlier -> !earlier.isValid());
            elsewhere.add(handle);
            return handle;
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    // ---------------------------------------------------------------- losing

    /**
     * Makes the application lose a lock, as when its {@code leaseTime} is over: the handles of all its owners become invalid, {@code onLost}
     * runs, closing them throws {@link LockLostException}, and the lock is granted to the next waiter. The application's other locks stay held.
     *
     * @param name the lock's name
     * @throws IllegalStateException if the application does not hold it
     */
    public void lose(String name) {
        if (!loseHolds(name::equals, "lose")) {
            throw new IllegalStateException("The application does not hold lock " + LockNames.quoted(name)
                    + " and cannot lose it. It holds "
                    + held().stream().map(LockView::name).distinct().toList());
        }
    }

    /** Loses the application's holds of these locks, whose positions are given back to the memory node; returns whether there are any. */
    private boolean loseHolds(Predicate<String> names, String method) {
        List<String> held = held().stream().map(LockView::name).filter(names).toList();
        forEachLock(held::contains, lock -> lock.loseHolds("the test called TestLocks." + method));
        return !held.isEmpty();
    }

    /**
     * Loses all holds before the session ends, and gives back the locks that are only kept: nothing is left behind in the queues of the locks
     * until the lease expires, so that they are free at once, also for callers that do not wait.
     */
    private void leaveNothingBehind(String method) {
        loseHolds(name -> true, method);
        forEachLock(name -> true, lock -> lock.giveBackUnused(0));
    }

    /**
     * Makes the application lose every lock together with its session, as after a pause that was longer than its lease. Waits until it has
     * joined the memory node again, unless that is unavailable.
     */
    public void loseAll() {
        leaveNothingBehind("loseAll");
        Set<CqlEnvironment> sessions = Collections.newSetFromMap(new IdentityHashMap<>());
        forEachLock(name -> true, lock -> {
            CqlEnvironment session = lock.session();
            if (session != null) {
                sessions.add(session);
            }
        });
        sessions.forEach(session -> session.broken(new IllegalStateException("the test called TestLocks.loseAll")));
        if (!fabric.isSevered()) {
            awaitJoined();
        }
    }

    // ---------------------------------------------------------------- an unavailable memory node

    /**
     * Cuts the application off its private memory node: it loses what it holds, as in an outage that is longer than its lease, its health is
     * down, and it acquires nothing. Acquisitions throw {@link io.declock.MemoryNodeUnavailableException} when their wait time is over, or at
     * once with {@code declock.fail-fast=true}. The other instance is not cut off.
     *
     * @return ends the outage when it is closed
     * @throws IllegalStateException if there is an outage already, or the application's memory nodes are not private
     */
    public Outage unavailable() {
        fabric.requireConnected();
        leaveNothingBehind("unavailable");
        fabric.sever();
        return this::restore;
    }

    private void restore() {
        if (fabric.restore()) {
            awaitJoined();
        }
    }

    // ---------------------------------------------------------------- beginning anew

    /**
     * Makes all locks free: ends an outage, releases what the other instance holds, takes away what the application holds, and fails those
     * of its callers that wait. A handle that is closed after that throws {@link LockLostException}; its owner may acquire the lock again at
     * once.
     */
    public void reset() {
        // The callers that wait fail before what they wait for is released.
        vacate(name -> true, "the test called TestLocks.reset");
        restore();
        elsewhere.forEach(TestLocks::release);
        elsewhere.clear();
        MemoryNode memoryNode = application.privateMemoryNode();
        if (memoryNode != null) {
            memoryNode.endTrust();
        }
    }

    private static void release(LockHandle handle) {
        try {
            handle.close();
        } catch (LockLostException e) {
            // It was free already.
        }
    }

    /** Takes locks away from the application and its callers for good. */
    void vacate(Predicate<String> names, String why) {
        forEachLock(names, lock -> lock.vacate(why));
    }

    private void forEachLock(Predicate<String> names, Consumer<LocalLock> action) {
        for (LocalLock lock : application.running().locks()) {
            if (names.test(lock.name())) {
                action.accept(lock);
            }
        }
    }

    private void awaitJoined() {
        ComputeNode node = application.running();
        try {
            if (!node.awaitReady(PATIENCE)) {
                throw new IllegalStateException("The application did not join its memory nodes again within "
                        + PATIENCE.toSeconds() + " s: " + node.monitor().memoryNodes());
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static LockInterruptedException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new LockInterruptedException("The test was interrupted while it waited for locks", e);
    }
}
