// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

/** How a locked method returns its result. */
enum ReturnKind {
    /** The method's work ends when the method returns. */
    PLAIN,
    /** A {@link java.util.concurrent.CompletionStage}. */
    STAGE,
    /** A type that the reactive adapters know: Mono, Flux, and types that can be converted to one of them. */
    REACTIVE,
    /** A suspending function of Kotlin. */
    SUSPENDING,
    /** A {@code Flow} of Kotlin, which {@link Coroutines} runs; without them it is REACTIVE. */
    FLOW
}
