// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.FrameConnection;
import io.declock.spi.FabricException;
import io.netty.buffer.ByteBuf;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The unanswered requests of one session that are not verbs, by number. Thread-safe. */
final class PendingRequests {
    private final Map<Integer, Pending> pending = new ConcurrentHashMap<>();
    private final AtomicInteger lastId = new AtomicInteger();
    private volatile @Nullable FabricException failure;

    /** Takes the answer from an object; returns false if the object is of another kind. */
    private interface Taker {
        boolean take(Object answer);
    }

    private record Pending(Taker taker, CompletableFuture<?> future, long deadline, FrameConnection.Frame frame) {}

    /** A request that waits for its answer. */
    record Request<T>(FrameConnection.Frame frame, CompletableFuture<T> future) {}

    /** Writes a request. */
    @FunctionalInterface
    interface Writer {
        void write(ByteBuf out, int number);
    }

    /** Begins a request with a new number. Its answer is an object of class {@code kind}, from which {@code result} makes the result. */
    <A, T> Request<T> begin(Class<A> kind, Function<A, T> result, Writer writer, long deadline) {
        // 0 stands for no request.
        int id = lastId.updateAndGet(last -> last == Integer.MAX_VALUE ? 1 : last + 1);
        // Completed directly and not through a dependent stage, which would wrap the failure.
        CompletableFuture<T> future = new CompletableFuture<>();
        Taker taker = answer -> {
            if (!kind.isInstance(answer)) {
                return false;
            }
            future.complete(result.apply(kind.cast(answer)));
            return true;
        };
        FrameConnection.Frame frame = out -> writer.write(out, id);
        pending.put(id, new Pending(taker, future, deadline, frame));
        FabricException failed = failure;
        if (failed != null) {
            fail(id, failed);
        }
        return new Request<>(frame, future);
    }

    /**
     * Writes all requests again, on another connection. Each may have been carried out already; no request does harm when it is carried out
     * twice (rule G2). They keep their order, so that the youngest heartbeat is the last to be answered: it says most about lease and clock.
     */
    void writeAgain(ByteBuf out) {
        new TreeMap<>(pending).values().forEach(request -> request.frame.write(out));
    }

    /** Completes a request. An answer to a request that has timed out, or was answered before, is ignored. */
    void answer(int id, Object answer) throws BadFrameException {
        Pending request = pending.remove(id);
        if (request != null && !request.taker.take(answer)) {
            request.future.completeExceptionally(
                    new FabricException("the answer to request " + id + " is of another kind"));
            throw new BadFrameException("the answer to request " + id + " is of another kind");
        }
    }

    /** Fails a request. */
    void fail(int id, FabricException cause) {
        Pending request = pending.remove(id);
        if (request != null) {
            request.future.completeExceptionally(cause);
        }
    }

    /** Returns whether no request waits for its answer. */
    boolean isEmpty() {
        return pending.isEmpty();
    }

    /** Fails the requests whose time is over. */
    void expire(long now, String node) {
        pending.forEach((id, request) -> {
            if (now - request.deadline > 0) {
                fail(id, new FabricException(node + " did not answer a request in time"));
            }
        });
    }

    /** Fails all requests, and all later ones. */
    void failAll(FabricException cause) {
        failure = cause;
        pending.keySet().forEach(id -> fail(id, cause));
    }
}
