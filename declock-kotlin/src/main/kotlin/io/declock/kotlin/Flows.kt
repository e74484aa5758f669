// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kotlin

import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.FlowCollector
import kotlinx.coroutines.launch

/**
 * Collects a flow in a context that the collector does not get, and emits its elements; the flow goes on when the
 * collector has worked on its element. `flowOn` does without a coroutine where the dispatcher stays the same, and then
 * loses the elements of threads once the collector suspends (kotlinx.coroutines, issue 4403); with a buffer it runs
 * ahead of the collector.
 */
internal suspend fun <T> FlowCollector<T>.emitAllIn(context: CoroutineContext, source: Flow<T>) = coroutineScope {
    val turns = Channel<Turn<T>>()
    launch(context) {
        try {
            source.collect {
                val turn = Turn(it)
                turns.send(turn)
                turn.over.await()
            }
            turns.close()
        } catch (failure: Throwable) {
            // A coroutine that ends by a cancellation of the flow's own, such as a time-out, tells its parent nothing.
            turns.close(failure)
        }
    }
    for (turn in turns) {
        emit(turn.element)
        // Never waits: the source may have ended, or gone on, while the collector worked on the element.
        turn.over.complete(Unit)
    }
}

/** An element on which the collector works while the source waits. */
private class Turn<T>(val element: T) {
    val over = CompletableDeferred<Unit>()
}
