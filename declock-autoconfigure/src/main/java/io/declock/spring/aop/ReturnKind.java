// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

/** How a locked method returns its result. */
enum ReturnKind {
    /** The method's end is the end of its work. */
    PLAIN,
    /** A {@link java.util.concurrent.CompletionStage}. */
    STAGE,
    /** A type that the reactive adapters know: Mono, Flux, and what can be turned into one. */
    REACTIVE
}
