// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.endpoint;

import io.declock.ComputeNodeMonitor;
import io.declock.LockRecordView;
import io.declock.LockView;
import io.declock.MemoryNodeView;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * Actuator endpoint {@code declock}: the locks that this application holds, keeps or waits for, and one lock by name as its memory node
 * has it. The endpoint shows no secrets, but it shows lock names and thread names.
 */
@Endpoint(id = "declock", defaultAccess = Access.READ_ONLY)
public final class DecLockEndpoint {
    private static final int DEFAULT_LIMIT = 1_000;
    /** Maximum number of locks listed, whatever limit is requested: an answer must not take the memory that the application needs. */
    private static final int MOST = 10_000;

    private static final Duration LOOK_UP_TIMEOUT = Duration.ofSeconds(5);

    private final ComputeNodeMonitor monitor;

    /** Makes the endpoint. */
    public DecLockEndpoint(ComputeNodeMonitor monitor) {
        this.monitor = monitor;
    }

    /** Returns the locks that are held and waited for now. */
    @ReadOperation
    public Locks locks(@Nullable Integer limit) {
        int most = limit == null ? DEFAULT_LIMIT : Math.min(MOST, Math.max(1, limit));
        List<LockView> views = monitor.locks(most);
        return new Locks(
                monitor.heldNow(),
                monitor.keptNow(),
                monitor.waitingNow(),
                monitor.tableSize(),
                views.size() >= most,
                inState(views, LockView.State.HELD),
                inState(views, LockView.State.RESERVED),
                inState(views, LockView.State.KEPT),
                inState(views, LockView.State.WAITING),
                monitor.memoryNodes().stream().map(MemoryNode::of).toList());
    }

    private static List<Lock> inState(List<LockView> views, LockView.State state) {
        return views.stream()
                .filter(view -> view.state() == state)
                .map(Lock::of)
                .toList();
    }

    /** Returns one lock as its memory node has it, with this application's holds and waits; null if the name is not in use. */
    @ReadOperation
    public @Nullable OneLock lock(@Selector(match = Selector.Match.ALL_REMAINING) String... name) {
        String joined = String.join("/", name);
        List<Lock> here = monitor.locksNamed(joined).stream().map(Lock::of).toList();
        try {
            Optional<LockRecordView> found = monitor.inspect(joined)
                    .toCompletableFuture()
                    .get(LOOK_UP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
            return found.isEmpty() && here.isEmpty() ? null : new OneLock(joined, found.orElse(null), here, null);
        } catch (IllegalArgumentException e) {
            return new OneLock(joined, null, here, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new OneLock(joined, null, here, "interrupted");
        } catch (TimeoutException e) {
            return new OneLock(
                    joined, null, here, "the memory node did not answer within " + LOOK_UP_TIMEOUT.toMillis() + " ms");
        } catch (ExecutionException | CompletionException e) {
            return new OneLock(
                    joined,
                    null,
                    here,
                    String.valueOf(
                            e.getCause() == null ? e.getMessage() : e.getCause().getMessage()));
        }
    }

    /**
     * The locks of this application.
     *
     * @param heldNow number of holds
     * @param keptNow number of locks that are kept without being held
     * @param waitingNow number of waits
     * @param names number of known names, idle ones included
     * @param truncated whether the lists may be incomplete
     * @param held the holds
     * @param reserved the locks that are held by nobody and stay taken for a while ({@code holdAtLeast})
     * @param kept the locks that are held by nobody and kept for this application's next caller ({@code declock.keep})
     * @param waiting the waits
     * @param memoryNodes the memory nodes
     */
    public record Locks(
            long heldNow,
            int keptNow,
            long waitingNow,
            int names,
            boolean truncated,
            List<Lock> held,
            List<Lock> reserved,
            List<Lock> kept,
            List<Lock> waiting,
            List<MemoryNode> memoryNodes) {}

    /**
     * One hold or wait, or one kept lock.
     *
     * @param name the lock's name
     * @param memoryNode id of its memory node
     * @param mode READ or WRITE
     * @param owner the thread, or the explicit owner
     * @param fencingToken fencing token of a hold
     * @param ageMillis how long the lock has been held or waited for
     * @param queuePosition a wait's position in this application's queue
     */
    public record Lock(
            String name,
            String memoryNode,
            String mode,
            String owner,
            @Nullable Long fencingToken,
            long ageMillis,
            @Nullable Integer queuePosition) {
        static Lock of(LockView view) {
            return new Lock(
                    view.name(),
                    view.memoryNode(),
                    view.mode().name(),
                    view.owner(),
                    view.fencingToken(),
                    view.age().toMillis(),
                    view.queuePosition());
        }
    }

    /**
     * One memory node.
     *
     * @param address its address
     * @param id its id
     * @param state state of the session
     */
    public record MemoryNode(String address, String id, String state) {
        static MemoryNode of(MemoryNodeView view) {
            return new MemoryNode(view.address(), view.id(), view.state().name());
        }
    }

    /**
     * One lock.
     *
     * @param name its name
     * @param record the memory node's record, null if there is none or the memory node could not be asked
     * @param here holds and waits of this application
     * @param problem why the memory node could not be asked, null if it was asked
     */
    public record OneLock(
            String name,
            @Nullable LockRecordView record,
            List<Lock> here,
            @Nullable String problem) {}
}
