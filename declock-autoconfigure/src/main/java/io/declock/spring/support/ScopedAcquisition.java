// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.support;

import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.LockScope;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The acquisition of one subscription: by the owner of an enclosing pipeline for locks that it holds, else by a new owner. */
public final class ScopedAcquisition {
    private final DistributedReadWriteLock locks;
    private final @Nullable LockScope outer;
    private final Supplier<LockOwner> newOwner;
    private volatile boolean grantedAtOnce;

    /**
     * Makes one.
     *
     * @param locks the locks
     * @param outer the scope around the subscription, or null
     * @param newOwner makes the owner of locks that are not held there
     */
    public ScopedAcquisition(DistributedReadWriteLock locks, @Nullable LockScope outer, Supplier<LockOwner> newOwner) {
        this.locks = locks;
        this.outer = outer;
        this.newOwner = newOwner;
    }

    /**
     * Acquires when somebody subscribes.
     *
     * @param request makes the request then
     * @return emits the scope of the handle, to be ended before the handle is closed
     */
    public Mono<LockScope> acquire(Supplier<LockRequest> request) {
        return Mono.defer(() -> {
            LockRequest asked = request.get();
            LockScope around = LockScope.holding(locks, outer, asked);
            LockOwner holder = around == null ? null : around.owner();
            LockOwner owner = holder == null ? newOwner.get() : holder;
            return Mono.fromFuture(() -> {
                        CompletableFuture<LockHandle> acquiring =
                                locks.acquireAsync(asked, owner).toCompletableFuture();
                        grantedAtOnce = acquiring.isDone();
                        return acquiring;
                    })
                    .map(handle ->
                            LockScope.of(locks, around == null ? handle : around.checkEntered(handle), owner, outer))
                    .doOnDiscard(LockHandle.class, LockHandle::close)
                    .doOnDiscard(LockScope.class, scope -> scope.handle().close());
        });
    }

    /** {@return whether the locks were granted before {@link #acquire} had returned to its subscriber} */
    public boolean isGrantedAtOnce() {
        return grantedAtOnce;
    }
}
