// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * Runs locked functions of Kotlin that suspend or return a {@code Flow}. The module {@code declock-kotlin} has the implementation, so that nothing
 * here needs Kotlin. Found as a service; thread-safe.
 */
public interface Coroutines {
    /** The module that implements it. */
    String MODULE = "io.declock:declock-kotlin";

    /** Returns the library without which Spring cannot call suspending functions, as {@code group:artifact}, or null if all are there. */
    @Nullable
    String missingForSuspending();

    /** Returns a Mono: each subscription runs the suspending function while the lock is held, until its coroutine has completed. */
    Object suspending(LockedCoroutine call);

    /** Returns a Flow: each collection calls the function while the lock is held, and collects the Flow that it returned. */
    Object flow(LockedCoroutine call);

    /** Returns the implementation, null if the module is not on the class path. */
    static @Nullable Coroutines find(@Nullable ClassLoader loader) {
        return ServiceLoader.load(Coroutines.class, loader).findFirst().orElse(null);
    }
}
