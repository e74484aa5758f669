// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.reactive;

import io.declock.LockHandle;
import io.declock.LockOwner;
import java.util.Optional;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** Gives the pipeline that a {@link io.declock.spring.DecLocked} method returned the lock it runs under. */
public final class ReactiveDecLockContext {
    private static final Class<Current> KEY = Current.class;

    private ReactiveDecLockContext() {}

    /**
     * Emits the fencing token of the current lock; fails with an {@link IllegalStateException} outside of a locked method.
     *
     * @return emits the token
     */
    public static Mono<Long> currentToken() {
        return currentHandle().map(LockHandle::fencingToken);
    }

    /**
     * Emits the handle of the current lock; fails with an {@link IllegalStateException} outside of a locked method.
     *
     * @return emits the handle
     */
    public static Mono<LockHandle> currentHandle() {
        return Mono.deferContextual(context -> {
            Optional<Current> current = context.getOrEmpty(KEY);
            return current.map(found -> Mono.just(found.handle))
                    .orElseGet(() -> Mono.error(new IllegalStateException(
                            "No @DecLocked method is in this pipeline's context. Ask inside the publisher that the locked"
                                    + " method returns, and make sure that it was called through its Spring bean.")));
        });
    }

    /**
     * {@return the owner of the locks that pipelines with that context hold, if any}
     *
     * @param context a pipeline's context
     */
    public static Optional<LockOwner> owner(ContextView context) {
        Optional<Current> current = context.getOrEmpty(KEY);
        return current.map(Current::owner);
    }

    /**
     * {@return {@code context} with that lock as the current one}
     *
     * @param context a pipeline's context
     * @param handle the handle
     * @param owner its owner
     */
    public static Context with(Context context, LockHandle handle, LockOwner owner) {
        return context.put(KEY, new Current(handle, owner));
    }

    private record Current(LockHandle handle, LockOwner owner) {}
}
