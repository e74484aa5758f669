// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kotlin.spring

import io.declock.DistributedReadWriteLock
import io.declock.LockRequest
import io.declock.kotlin.Inside
import io.declock.kotlin.withWriteLock
import io.declock.spring.DecLockContext
import io.declock.spring.DecLocked
import io.declock.spring.reactive.ReactiveLocks
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletableFuture.delayedExecutor
import java.util.concurrent.TimeUnit
import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.future.await
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.reactor.mono
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.EnumSource
import reactor.core.publisher.Mono

/** Which owner asks for a lock in a coroutine that runs under another lock. */
@Timeout(60)
class OwnersTests {
    /** The ways to lock inside of a coroutine. */
    enum class Way(val enter: suspend (Items, Inside) -> Unit) {
        PLAIN({ items, inside -> items.plain(inside) }),
        STAGE({ items, inside -> items.stage(inside).await() }),
        REACTIVE({ items, inside -> items.reactive(inside).awaitSingle() }),
        OPERATOR({ items, inside -> items.operator(inside).awaitSingle() }),
        SUSPENDING({ items, inside -> items.suspending(inside) }),
        FLOW({ items, inside -> items.flow(inside).toList() }),
        BLOCK({ items, inside -> items.block(inside) }),
    }

    @ParameterizedTest
    @EnumSource
    fun `coroutines side by side in a function exclude each other from another lock`(way: Way) = test { batch, items ->
        val inside = Inside()
        runBlocking { batch.suspending { together { way.enter(items, inside) } } }
        assertThat(inside.entered).isEqualTo(PARTIES)
        assertThat(inside.mostAtATime).isEqualTo(1)
    }

    @ParameterizedTest
    @EnumSource
    fun `coroutines side by side in a pipeline exclude each other from another lock`(way: Way) = test { batch, items ->
        val inside = Inside()
        runBlocking { batch.pipeline { together { way.enter(items, inside) } }.awaitSingle() }
        assertThat(inside.entered).isEqualTo(PARTIES)
        assertThat(inside.mostAtATime).isEqualTo(1)
    }

    @ParameterizedTest
    @EnumSource
    fun `a lock that the function holds is entered again`(way: Way) = test { batch, items ->
        val inside = Inside()
        runBlocking { batch.item { way.enter(items, inside) } }
        assertThat(inside.entered).isEqualTo(1)
    }

    @ParameterizedTest
    @EnumSource
    fun `a lock that has been released is not entered again`(way: Way) = test { batch, items ->
        val inside = Inside()
        runBlocking {
            val after = batch.itemContext().minusKey(Job)
            withContext(after + Dispatchers.IO) { together { way.enter(items, inside) } }
        }
        assertThat(inside.entered).isEqualTo(PARTIES)
        assertThat(inside.mostAtATime).isEqualTo(1)
    }

    @Test
    fun `a plain method whose event loop runs its siblings keeps them out`() = test { batch, items ->
        val inside = Inside()
        runBlocking {
            batch.suspending {
                coroutineScope { List(PARTIES) { async { runCatching { items.looping(inside) } } }.awaitAll() }
            }
        }
        assertThat(inside.entered).isPositive()
        assertThat(inside.mostAtATime).isEqualTo(1)
    }

    @Test
    fun `a request for a lock that is held and for another is refused`() = test { batch, items ->
        runBlocking {
            batch.item {
                val refusals = listOf<suspend () -> Unit>({ items.mixedPlain() }, { items.mixedSuspending() })
                for (refusal in refusals) {
                    assertThat(runCatching { refusal() }.exceptionOrNull())
                        .isInstanceOf(IllegalStateException::class.java)
                        .hasMessageContaining("'item'")
                        .hasMessageContaining("'more'")
                }
            }
        }
    }

    @Test
    fun `a lock is held while a function that was called under it still cleans up`() =
        Contexts.with<Batch>(Items::class.java) { batch ->
            val locks = batch.other<DistributedReadWriteLock>()
            val items = batch.other<Items>()
            runBlocking {
                for (outer in
                    listOf<suspend (suspend () -> Unit) -> Unit>(
                        { batch.bean.suspending(it) },
                        { locks.withWriteLock("batch") { it() } },
                    )) {
                    val go = CompletableDeferred<Unit>()
                    val begun = CompletableDeferred<Unit>()
                    val call = launch(Dispatchers.Default) { outer { items.cleaningUp(begun, go) } }
                    begun.await()
                    call.cancel()
                    delay(100)
                    assertThat(batch.isBusy("cleaning")).isTrue()
                    assertThat(batch.isBusy("batch")).isTrue()
                    go.complete(Unit)
                    call.cancelAndJoin()
                    batch.acquire("batch").close()
                }
            }
        }

    private fun test(test: (Batch, Items) -> Unit) =
        Contexts.with<Batch>(Items::class.java) { batch -> test(batch.bean, batch.other()) }

    private suspend fun together(enter: suspend () -> Unit) {
        withContext(Dispatchers.IO) { coroutineScope { List(PARTIES) { async { enter() } }.awaitAll() } }
    }

    open class Batch {
        @DecLocked(name = "batch")
        open suspend fun suspending(body: suspend () -> Unit) {
            delay(1)
            body()
        }

        @DecLocked(name = "batch")
        open fun pipeline(body: suspend () -> Unit): Mono<Int> = mono {
            body()
            1
        }

        @DecLocked(name = "item")
        open suspend fun item(body: suspend () -> Unit) {
            delay(1)
            body()
        }

        @DecLocked(name = "item") open suspend fun itemContext(): CoroutineContext = currentCoroutineContext()
    }

    open class Items(private val locks: DistributedReadWriteLock) {
        @DecLocked(name = "item", waitTime = "10s")
        open fun plain(inside: Inside) {
            inside.enter()
            Thread.sleep(5)
            inside.leave()
        }

        @DecLocked(name = "item", waitTime = "10s")
        open fun stage(inside: Inside): CompletableFuture<Void> {
            inside.enter()
            return CompletableFuture.runAsync({ inside.leave() }, delayedExecutor(5, TimeUnit.MILLISECONDS))
        }

        @DecLocked(name = "item", waitTime = "0")
        open fun looping(inside: Inside) {
            inside.enter()
            runBlocking { delay(5) }
            inside.leave()
        }

        @DecLocked(name = "item", waitTime = "10s") open fun reactive(inside: Inside): Mono<Long> = work(inside)

        open fun operator(inside: Inside): Mono<Long> =
            work(inside)
                .transform(ReactiveLocks.locked(locks, LockRequest.write("item").waitTime(Duration.ofSeconds(10))))

        private fun work(inside: Inside): Mono<Long> =
            Mono.delay(Duration.ofMillis(5)).doFirst { inside.enter() }.doOnTerminate { inside.leave() }

        @DecLocked(name = "item", waitTime = "10s")
        open suspend fun suspending(inside: Inside) {
            inside.enter()
            delay(5)
            inside.leave()
        }

        @DecLocked(name = "item", waitTime = "10s")
        open fun flow(inside: Inside): Flow<Int> = flow {
            inside.enter()
            emit(1)
            delay(5)
            inside.leave()
        }

        open suspend fun block(inside: Inside) =
            locks.withWriteLock("item") {
                inside.enter()
                delay(5)
                inside.leave()
            }

        @DecLocked(name = "", key = ["'item'", "'more'"]) open fun mixedPlain() = Unit

        @DecLocked(name = "", key = ["'item'", "'more'"]) open suspend fun mixedSuspending() = delay(1)

        @DecLocked(name = "cleaning")
        open suspend fun cleaningUp(begun: CompletableDeferred<Unit>, go: CompletableDeferred<Unit>) {
            try {
                begun.complete(Unit)
                awaitCancellation()
            } finally {
                withContext(NonCancellable) { go.await() }
                check(DecLockContext.currentHandle().isValid)
            }
        }
    }

    private companion object {
        const val PARTIES = 8
    }
}
