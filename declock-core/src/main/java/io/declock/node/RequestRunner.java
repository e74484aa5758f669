// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.node;

import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.LockNotGrantedException;
import io.declock.LockRequest;
import io.declock.local.Hold;
import io.declock.time.TimerService.Timer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Runs requests: several names in the order of the UTF-8 bytes of their names, all or nothing, one wait time for all. Thread-safe.
 */
final class RequestRunner {
    private final ComputeNode node;
    private final Acquirer acquirer;
    private final long defaultWaitNanos;

    RequestRunner(ComputeNode node, Acquirer acquirer) {
        this.node = node;
        this.acquirer = acquirer;
        this.defaultWaitNanos = ComputeNode.nanos(node.settings().defaultWaitTime());
    }

    LockHandle acquire(LockRequest request, Object owner) throws InterruptedException {
        long wait = waitNanos(request);
        if (request.isSingle()) {
            LockHandle handle = acquireOne(request, owner, wait);
            if (handle == null) {
                throw notGranted(request.name(), request.mode(), wait);
            }
            return handle;
        }
        List<HandleImpl.Part> parts = new ArrayList<>(request.names().size());
        Map.Entry<String, LockMode> missing = collect(request, owner, wait, parts);
        if (missing != null) {
            throw notGranted(missing.getKey(), missing.getValue(), wait);
        }
        return handle(request, parts);
    }

    @Nullable
    LockHandle tryAcquire(LockRequest request, Object owner) throws InterruptedException {
        long wait = waitNanos(request);
        if (request.isSingle()) {
            return acquireOne(request, owner, wait);
        }
        List<HandleImpl.Part> parts = new ArrayList<>(request.names().size());
        return collect(request, owner, wait, parts) == null ? handle(request, parts) : null;
    }

    /** Takes the only name of a request, as nearly all are; null if it was not granted. */
    private @Nullable LockHandle acquireOne(LockRequest request, Object owner, long wait) throws InterruptedException {
        ComputeNode.checkName(request.name());
        Hold hold = acquirer.acquire(request.name(), request.mode(), owner, wait, true);
        return hold == null ? null : handle(request, hold, request.mode(), List.of());
    }

    private LockNotGrantedException notGranted(String name, LockMode mode, long wait) {
        return NamedLock.notGranted(name, mode, wait, node.whereIs(name));
    }

    private long waitNanos(LockRequest request) {
        Duration asked = request.waitTime();
        return asked == null ? defaultWaitNanos : ComputeNode.nanos(asked);
    }

    /** Takes one after the other; returns the one that was not granted, with nothing held then, or null. */
    private Map.@Nullable Entry<String, LockMode> collect(
            LockRequest request, Object owner, long wait, List<HandleImpl.Part> parts) throws InterruptedException {
        List<Map.Entry<String, LockMode>> names = inOrder(request);
        boolean shared = wait != 0;
        long deadline = shared ? node.clock().nanoTime() + wait : 0;
        boolean complete = false;
        try {
            for (Map.Entry<String, LockMode> name : names) {
                long left = shared ? Math.max(1, deadline - node.clock().nanoTime()) : wait;
                Hold hold = acquirer.acquire(name.getKey(), name.getValue(), owner, left, true);
                if (hold == null) {
                    return name;
                }
                parts.add(new HandleImpl.Part(hold, name.getValue()));
            }
            complete = true;
            return null;
        } finally {
            if (!complete) {
                giveBack(parts);
            }
        }
    }

    private void giveBack(List<HandleImpl.Part> parts) {
        for (int i = parts.size() - 1; i >= 0; i--) {
            node.release(parts.get(i).hold(), parts.get(i).mode());
        }
        parts.clear();
    }

    private HandleImpl handle(LockRequest request, List<HandleImpl.Part> parts) {
        HandleImpl.Part first = parts.get(0);
        return handle(request, first.hold(), first.mode(), List.copyOf(parts.subList(1, parts.size())));
    }

    private HandleImpl handle(LockRequest request, Hold hold, LockMode mode, List<HandleImpl.Part> others) {
        Duration ceiling = request.leaseTime();
        if (ceiling == null) {
            return new HandleImpl(node, hold, mode, others, List.of());
        }
        List<Timer> ceilings = new ArrayList<>(1 + others.size());
        ceilings.add(limit(hold, ceiling));
        for (HandleImpl.Part other : others) {
            ceilings.add(limit(other.hold(), ceiling));
        }
        return new HandleImpl(node, hold, mode, others, ceilings);
    }

    private Timer limit(Hold hold, Duration ceiling) {
        return node.timer()
                .start(
                        ComputeNode.nanos(ceiling),
                        () -> hold.lock()
                                .expire(
                                        hold,
                                        new LockLostException(
                                                "lock '" + hold.lock().name()
                                                        + "' was held longer than its lease time of " + ceiling
                                                        + " and was released; only the fencing token protects what its holder still does")));
    }

    private static List<Map.Entry<String, LockMode>> inOrder(LockRequest request) {
        List<Map.Entry<String, LockMode>> names =
                new ArrayList<>(request.names().entrySet());
        for (Map.Entry<String, LockMode> name : names) {
            ComputeNode.checkName(name.getKey());
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
        private final List<HandleImpl.Part> parts = new ArrayList<>();
        private volatile @Nullable CompletableFuture<@Nullable Hold> current;

        AsyncRequest(LockRequest request, Object owner, long wait) {
            this.request = request;
            this.owner = owner;
            this.wait = wait;
            this.deadline = node.clock().nanoTime() + wait;
            this.names = inOrder(request);
            result.whenComplete((handle, failure) -> {
                CompletableFuture<@Nullable Hold> pending = current;
                if (failure != null && pending != null) {
                    pending.cancel(false);
                }
            });
        }

        void next() {
            if (parts.size() == names.size()) {
                HandleImpl handle = handle(request, parts);
                if (!result.complete(handle)) {
                    handle.cancelCeilings();
                    giveBack(parts);
                }
                return;
            }
            Map.Entry<String, LockMode> name = names.get(parts.size());
            long left = wait == 0 ? 0 : Math.max(1, deadline - node.clock().nanoTime());
            CompletableFuture<@Nullable Hold> step;
            try {
                step = acquirer.acquireAsync(name.getKey(), name.getValue(), owner, left);
            } catch (RuntimeException e) {
                giveBack(parts);
                result.completeExceptionally(e);
                return;
            }
            current = step;
            step.whenComplete((hold, failure) -> decided(name, hold, failure));
            if (result.isDone()) {
                step.cancel(false);
            }
        }

        private void decided(Map.Entry<String, LockMode> name, @Nullable Hold hold, @Nullable Throwable failure) {
            if (hold != null) {
                parts.add(new HandleImpl.Part(hold, name.getValue()));
                if (result.isDone()) {
                    giveBack(parts);
                } else {
                    next();
                }
                return;
            }
            giveBack(parts);
            result.completeExceptionally(
                    failure == null
                            ? notGranted(name.getKey(), name.getValue(), wait)
                            : ComputeNode.unchecked(failure));
        }
    }
}
