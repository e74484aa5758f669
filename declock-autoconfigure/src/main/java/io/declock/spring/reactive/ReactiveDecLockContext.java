// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.reactive;

import io.declock.LockHandle;
import io.declock.LockScope;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** Gives the pipeline that a {@link io.declock.spring.DecLocked} method returned the lock it runs under. */
public final class ReactiveDecLockContext {
    private static final Class<ReactiveDecLockContext> KEY = ReactiveDecLockContext.class;

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
            Optional<LockScope> current = context.getOrEmpty(KEY);
            return current.map(found -> Mono.just(found.handle()))
                    .orElseGet(() -> Mono.error(new IllegalStateException(
                            "No @DecLocked method is in this pipeline's context. Ask inside the publisher that the locked"
                                    + " method returns, and make sure that it was called through its Spring bean.")));
        });
    }

    /**
     * {@return the lock that pipelines with that context run under and those around it, for {@link LockScope#holding}; null if there is none}
     *
     * @param context a pipeline's context
     */
    public static @Nullable LockScope scope(ContextView context) {
        return context.getOrDefault(KEY, null);
    }

    /**
     * {@return {@code context} with that lock as the current one}
     *
     * @param context a pipeline's context
     * @param locks the lock
     */
    public static Context with(Context context, LockScope locks) {
        return context.put(KEY, locks);
    }
}
