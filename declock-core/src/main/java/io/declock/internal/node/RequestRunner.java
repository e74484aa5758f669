// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.DecLockException;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.LockNames;
import io.declock.LockNotGrantedException;
import io.declock.LockRequest;
import io.declock.MemoryNodeUnavailableException;
import io.declock.UpgradeRefusedException;
import io.declock.internal.local.Acquisition;
import io.declock.internal.local.Ceiling;
import io.declock.internal.local.HeldLock;
import io.declock.internal.local.Hold;
import io.declock.internal.local.LocalLock;
import io.declock.internal.local.LocalWaiter;
import io.declock.internal.session.MemoryNodeLink;
import io.declock.internal.session.StageFailure;
import io.declock.internal.time.Clock;
import io.declock.internal.time.TimerService;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs requests: several names in the order of the UTF-8 bytes of their names, all or nothing, one wait time for all. Thread-safe.
 */
final class RequestRunner {
    private final MemoryNodes memoryNodes;
    private final Acquirer acquirer;
    private final AsyncAcquirer asyncAcquirer;
    private final Clock clock;
    private final TimerService timers;
    private final Completions completions;
    private final long defaultWaitNanos;

    RequestRunner(
            Duration defaultWaitTime,
            NodeRuntime runtime,
            MemoryNodes memoryNodes,
            Acquirer acquirer,
            AsyncAcquirer asyncAcquirer) {
        this.memoryNodes = memoryNodes;
        this.acquirer = acquirer;
        this.asyncAcquirer = asyncAcquirer;
        this.clock = runtime.clock();
        this.timers = runtime.timer();
        this.completions = runtime.completions();
        this.defaultWaitNanos = NodeRuntime.nanos(defaultWaitTime);
    }

    LockHandle acquire(LockRequest request, Object owner) throws InterruptedException {
        long wait = waitNanos(request);
        if (request.isSingle()) {
            HandleImpl handle = acquireOne(request, owner, wait);
            if (handle == null) {
                throw notGranted(request, request.name(), request.mode(), wait);
            }
            return lasting(handle, request);
        }
        List<LocalWaiter> parts = new ArrayList<>(request.names().size());
        Map.Entry<String, LockMode> missing = collect(request, owner, wait, parts);
        if (missing != null) {
            throw notGranted(request, missing.getKey(), missing.getValue(), wait);
        }
        return lasting(handle(request, parts), request);
    }

    /**
     * Acquires the only name of a request.
     *
     * @param whenAsked told of the lock if the caller has to wait for it
     */
    HandleImpl acquireSingle(LockRequest request, Object owner, Consumer<LocalLock> whenAsked)
            throws InterruptedException {
        long wait = waitNanos(request);
        LockTable.checkName(request.name());
        LocalWaiter granted = acquirer.acquire(request.name(), request.mode(), owner, wait, true, false, whenAsked);
        if (granted == null) {
            throw notGranted(request, request.name(), request.mode(), wait);
        }
        HandleImpl handle = handle(request, granted, List.of());
        lasting(handle, request);
        return handle;
    }

    @Nullable
    LockHandle tryAcquire(LockRequest request, Object owner) throws InterruptedException {
        HandleImpl handle = tryInTime(request, owner, waitNanos(request));
        MemoryNodeUnavailableException unavailable = handle == null ? unavailable(request) : null;
        if (unavailable != null) {
            throw unavailable;
        }
        return handle == null ? null : lasting(handle, request);
    }

    // ---------------------------------------------------------------- holds that last a while at least

    /** Has the locks of a handle last as long as the request says at least; returns when the memory nodes have noted it. */
    private LockHandle lasting(HandleImpl handle, LockRequest request) throws InterruptedException {
        Duration least = request.holdAtLeast();
        if (least == null) {
            return handle;
        }
        List<MinimumHold.Lasting> minimums = new ArrayList<>();
        boolean noted = false;
        try {
            last(handle, least, minimums).get();
            checkStillHeld(handle, request);
            noted = true;
            return handle;
        } catch (ExecutionException e) {
            throw notNoted(request, e.getCause() == null ? e : e.getCause());
        } finally {
            if (!noted) {
                giveUp(handle, minimums);
            }
        }
    }

    /** Begins the minimum of each hold of a handle, and adds it to the list. */
    private CompletableFuture<Void> last(HandleImpl handle, Duration least, List<MinimumHold.Lasting> minimums) {
        for (Hold hold : handle.holds()) {
            minimums.add(MinimumHold.last(hold, NodeRuntime.nanos(least), clock, timers));
        }
        return CompletableFuture.allOf(
                minimums.stream().map(MinimumHold.Lasting::noted).toArray(CompletableFuture<?>[]::new));
    }

    /** The caller may have been paused while the memory node was asked (rules C1 and O5). */
    private static void checkStillHeld(HandleImpl handle, LockRequest request) {
        if (!handle.isValid()) {
            throw new LockLostException("the locks " + request.names().keySet()
                    + " were lost while the memory node noted that they last at least " + request.holdAtLeast());
        }
    }

    private static void giveUp(HandleImpl handle, List<MinimumHold.Lasting> minimums) {
        minimums.forEach(MinimumHold.Lasting::abandon);
        handle.giveBack();
    }

    private static DecLockException notNoted(LockRequest request, Throwable failure) {
        Throwable why = StageFailure.unwrapped(failure);
        return why instanceof DecLockException known
                ? known
                : new DecLockException(
                        "the locks " + request.names().keySet()
                                + " were given back, because the memory node has not noted that they"
                                + " last at least " + request.holdAtLeast() + ": " + why.getMessage(),
                        why);
    }

    private @Nullable HandleImpl tryInTime(LockRequest request, Object owner, long wait) throws InterruptedException {
        try {
            if (request.isSingle()) {
                return acquireOne(request, owner, wait);
            }
            List<LocalWaiter> parts = new ArrayList<>(request.names().size());
            return collect(request, owner, wait, parts) == null ? handle(request, parts) : null;
        } catch (UpgradeRefusedException e) {
            return null;
        }
    }

    /** Acquires the only name of a request; null if it was not granted. Most requests have only one name. */
    private @Nullable HandleImpl acquireOne(LockRequest request, Object owner, long wait) throws InterruptedException {
        LockTable.checkName(request.name());
        LocalWaiter granted = acquirer.acquire(request.name(), request.mode(), owner, wait, true, false);
        return granted == null ? null : handle(request, granted, List.of());
    }

    private DecLockException notGranted(LockRequest request, String name, LockMode mode, long wait) {
        MemoryNodeUnavailableException unavailable = unavailable(request);
        if (unavailable != null) {
            return unavailable;
        }
        MemoryNodeLink home = memoryNodes.linkOf(name);
        return new LockNotGrantedException("lock " + LockNames.quoted(name) + " was not granted in mode " + mode
                + " within " + TimeUnit.NANOSECONDS.toMillis(wait) + " ms"
                + (home == null ? "" : " by memory node " + home.address()));
    }

    /**
     * Returns the exception to throw if a memory node of the request is unavailable: then a failed wait does not show that another owner
     * holds the lock.
     */
    private @Nullable MemoryNodeUnavailableException unavailable(LockRequest request) {
        for (String name : request.names().keySet()) {
            MemoryNodeUnavailableException unavailable = memoryNodes.unavailable(name);
            if (unavailable != null) {
                return unavailable;
            }
        }
        return null;
    }

    private long waitNanos(LockRequest request) {
        Duration asked = request.waitTime();
        return asked == null ? defaultWaitNanos : NodeRuntime.nanos(asked);
    }

    /** Acquires the names one after the other. Returns null, or the first name that was not granted; then nothing is held. */
    private Map.@Nullable Entry<String, LockMode> collect(
            LockRequest request, Object owner, long wait, List<LocalWaiter> parts) throws InterruptedException {
        List<Map.Entry<String, LockMode>> names = inOrder(request);
        boolean shared = wait != 0;
        long deadline = shared ? clock.nanoTime() + wait : 0;
        boolean complete = false;
        try {
            for (Map.Entry<String, LockMode> name : names) {
                long left = shared ? Math.max(1, deadline - clock.nanoTime()) : wait;
                LocalWaiter granted = acquirer.acquire(name.getKey(), name.getValue(), owner, left, true, false);
                if (granted == null) {
                    return name;
                }
                parts.add(granted);
            }
            complete = true;
            return null;
        } finally {
            if (!complete) {
                giveBack(parts);
            }
        }
    }

    private void giveBack(List<LocalWaiter> parts) {
        for (int i = parts.size() - 1; i >= 0; i--) {
            acquirer.release(parts.get(i).hold(), parts.get(i).mode(), false);
        }
        parts.clear();
    }

    private HandleImpl handle(LockRequest request, List<LocalWaiter> parts) {
        return handle(request, parts.get(0), parts.subList(1, parts.size()));
    }

    private HandleImpl handle(LockRequest request, LocalWaiter first, List<LocalWaiter> further) {
        List<Acquisition> others = further.isEmpty() ? List.of() : new ArrayList<>(further.size());
        for (LocalWaiter granted : further) {
            others.add(new Acquisition(granted.hold(), granted.mode()));
        }
        HandleImpl handle = new HandleImpl(acquirer, first.hold(), first.mode(), others);
        Duration leaseTime = request.leaseTime();
        if (leaseTime != null) {
            limit(handle, first.isReentrant(), leaseTime);
            for (int i = 0; i < others.size(); i++) {
                limit(others.get(i), further.get(i).isReentrant(), leaseTime);
            }
        }
        return handle;
    }

    /** Sets a ceiling: of the whole hold if the acquisition began it, of the acquisition alone if it is reentrant. */
    private void limit(Acquisition acquisition, boolean alone, Duration leaseTime) {
        Hold hold = acquisition.hold();
        long nanos = NodeRuntime.nanos(leaseTime);
        long now = clock.nanoTime();
        Ceiling ceiling = new Ceiling(leaseTime, now, nanos);
        if (alone) {
            acquisition.limit(ceiling);
            ceiling.endedBy(timers.start(nanos, () -> HeldLock.expire(acquisition, ceiling)));
        } else {
            hold.limit(ceiling);
            ceiling.endedBy(timers.start(nanos, () -> HeldLock.expire(hold, ceiling)));
        }
    }

    private static List<Map.Entry<String, LockMode>> inOrder(LockRequest request) {
        List<Map.Entry<String, LockMode>> names =
                new ArrayList<>(request.names().entrySet());
        for (Map.Entry<String, LockMode> name : names) {
            LockTable.checkName(name.getKey());
        }
        names.sort((a, b) -> Arrays.compareUnsigned(
                a.getKey().getBytes(StandardCharsets.UTF_8), b.getKey().getBytes(StandardCharsets.UTF_8)));
        return names;
    }

    CompletableFuture<LockHandle> acquireAsync(LockRequest request, Object owner) {
        AsyncRequest async = new AsyncRequest(request, owner, waitNanos(request));
        async.next();
        return async.result;
    }

    /** One asynchronous request for one or more names. */
    private final class AsyncRequest {
        final CompletableFuture<LockHandle> result = new CompletableFuture<>();
        private final LockRequest request;
        private final Object owner;
        private final long wait;
        private final long deadline;
        private final List<Map.Entry<String, LockMode>> names;
        private final List<LocalWaiter> parts = new ArrayList<>();
        private volatile @Nullable CompletableFuture<@Nullable LocalWaiter> current;

        AsyncRequest(LockRequest request, Object owner, long wait) {
            this.request = request;
            this.owner = owner;
            this.wait = wait;
            this.deadline = clock.nanoTime() + wait;
            this.names = inOrder(request);
            result.whenComplete((handle, failure) -> {
                CompletableFuture<@Nullable LocalWaiter> pending = current;
                if (failure != null && pending != null) {
                    pending.cancel(false);
                }
            });
        }

        void next() {
            if (parts.size() == names.size()) {
                granted(handle(request, parts));
                return;
            }
            Map.Entry<String, LockMode> name = names.get(parts.size());
            long left = wait == 0 ? 0 : Math.max(1, deadline - clock.nanoTime());
            CompletableFuture<@Nullable LocalWaiter> step;
            try {
                step = asyncAcquirer.acquire(name.getKey(), name.getValue(), owner, left);
            } catch (RuntimeException e) {
                giveBack(parts);
                result.completeExceptionally(e);
                return;
            }
            current = step;
            step.whenComplete((granted, failure) -> decided(name, granted, failure));
            if (result.isDone()) {
                step.cancel(false);
            }
        }

        private void granted(HandleImpl handle) {
            Duration least = request.holdAtLeast();
            if (least == null) {
                if (!result.complete(handle)) {
                    handle.giveBack();
                }
                return;
            }
            List<MinimumHold.Lasting> minimums = new ArrayList<>();
            CompletableFuture<Void> noted;
            try {
                noted = last(handle, least, minimums);
            } catch (RuntimeException e) {
                noted = CompletableFuture.failedFuture(e);
            }
            // The answer comes on a thread of the fabric, which must not run a caller's code.
            noted.thenRun(() -> checkStillHeld(handle, request))
                    .whenCompleteAsync(
                            (done, failure) -> {
                                if (failure != null) {
                                    result.completeExceptionally(notNoted(request, failure));
                                    giveUp(handle, minimums);
                                } else if (!result.complete(handle)) {
                                    giveUp(handle, minimums);
                                }
                            },
                            completions);
        }

        private void decided(
                Map.Entry<String, LockMode> name, @Nullable LocalWaiter granted, @Nullable Throwable failure) {
            if (granted != null) {
                parts.add(granted);
                if (result.isDone()) {
                    giveBack(parts);
                } else {
                    next();
                }
                return;
            }
            giveBack(parts);
            result.completeExceptionally(
                    failure == null ? notGranted(request, name.getKey(), name.getValue(), wait) : unchecked(failure));
        }
    }

    private static DecLockException unchecked(Throwable failure) {
        return failure instanceof DecLockException known
                ? known
                : new DecLockException(String.valueOf(failure.getMessage()), failure);
    }
}
