// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import java.util.concurrent.CompletionException;

/** What a completion stage failed with. */
public final class StageFailure {
    private StageFailure() {}

    /**
     * Returns what the stage failed with, out of the exception in which a stage wraps it. The causes of that failure itself stay as they
     * are: a session may have ended because its resumption was refused.
     */
    public static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
