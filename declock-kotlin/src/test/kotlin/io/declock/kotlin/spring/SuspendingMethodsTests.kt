// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kotlin.spring

import io.declock.DecLockException
import io.declock.DistributedReadWriteLock
import io.declock.LockLostException
import io.declock.LockMode
import io.declock.LockNotGrantedException
import io.declock.kotlin.chain
import io.declock.kotlin.currentLockHandle
import io.declock.kotlin.withWriteLock
import io.declock.spring.DecLockContext
import io.declock.spring.DecLocked
import io.declock.spring.OnFailure
import io.declock.spring.OnLost
import io.declock.spring.reactive.ReactiveDecLockContext
import java.io.IOException
import java.util.concurrent.Executors
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** Suspending functions of beans, called through Spring's proxies. */
@Timeout(60)
class SuspendingMethodsTests {
    @Test
    fun `the lock is held over suspensions until the function has completed`() =
        test<Works> { works ->
            runBlocking {
                val go = CompletableDeferred<Unit>()
                val call = async(Dispatchers.Default) { works.bean.awaiting(1, go) }
                works.awaitHeld(1)
                delay(50)
                assertThat(works.isBusy("work:1")).isTrue()
                assertThat(call.isCompleted).isFalse()
                go.complete(Unit)
                assertThat(call.await()).isEqualTo("done 1")
                works.acquire("work:1").close()
            }
        }

    @Test
    fun `a hundred callers on two threads exclude each other`() =
        test<Works> { works ->
            val pool = Executors.newFixedThreadPool(2)
            runBlocking(pool.asCoroutineDispatcher()) { List(100) { launch { works.bean.count() } }.joinAll() }
            pool.shutdown()
            assertThat(works.bean.counted).isEqualTo(100)
        }

    @Test
    fun `the current lock is that of the coroutine on every thread`() =
        test<Works>(Plain::class.java) { works ->
            runBlocking {
                val tokens = works.bean.tokens(works.other<Plain>())
                assertThat(tokens).hasSize(7).containsOnly(tokens.first())
                assertThat(DecLockContext.isLocked()).isFalse()
                assertThat(currentLockHandle()).isNull()
            }
        }

    @Test
    fun `keys see the parameters and not the continuation`() =
        test<Works> { works ->
            runBlocking {
                works.bean.keyed(Order(7), "b") {
                    assertThat(listOf("named:7", "second:b", "last:b", "count:2").filterNot { works.isBusy(it) })
                        .isEmpty()
                }
            }
        }

    @Test
    fun `readers share`() =
        test<Works> { works ->
            runBlocking {
                works.bean.reading {
                    assertThat(works.isBusy("work", LockMode.READ)).isFalse()
                    assertThat(works.isBusy("work", LockMode.WRITE)).isTrue()
                }
            }
        }

    @Test
    fun `a lock that is not granted in time leads where the annotation says`() =
        test<Works> { works ->
            works.acquire("busy").use {
                runBlocking {
                    assertThat(runCatching { works.bean.throwing() }.exceptionOrNull())
                        .isInstanceOf(LockNotGrantedException::class.java)
                    assertThat(works.bean.withSuspendingFallback(3, "x")).isEqualTo("suspended 3x LockNotGranted")
                    assertThat(works.bean.withPlainFallback(3)).isEqualTo("plain 3")
                    assertThat(works.bean.number()).isZero()
                    assertThat(works.bean.numberOrNull()).isNull()
                    assertThat(works.bean.list()).isEmpty()
                    works.bean.skipped()
                }
            }
            assertThat(works.bean.ran).isFalse()
        }

    @Test
    fun `results of every kind and exceptions pass unchanged`() =
        test<Works> { works ->
            runBlocking {
                assertThat(works.bean.nothing(false)).isNull()
                works.bean.unit()
                val thrown = runCatching { works.bean.failing() }.exceptionOrNull()!!
                assertThat(thrown).isExactlyInstanceOf(IOException::class.java)
                assertThat(thrown.chain()).contains(works.bean.failure)
            }
        }

    @Test
    fun `cancellation while it waits withdraws the request`() =
        test<Works> { works ->
            runBlocking {
                val other = works.acquire("work:1")
                val call = launch(Dispatchers.Default) { works.bean.awaiting(1, CompletableDeferred(Unit)) }
                works.awaitWaiting(1)
                call.cancelAndJoin()
                works.awaitWaiting(0)
                other.close()
                works.acquire("work:1").close()
            }
        }

    @Test
    fun `a cancelled function holds its lock until it has cleaned up`() =
        test<Works> { works ->
            runBlocking {
                val go = CompletableDeferred<Unit>()
                val call = launch(Dispatchers.Default) { works.bean.cleaningUp(go) }
                works.awaitHeld(1)
                while (!works.bean.ran) delay(1)
                call.cancelAndJoin()
                delay(100)
                assertThat(works.isBusy("work")).isTrue()
                go.complete(Unit)
                works.acquire("work").close()
                assertThat(works.bean.validAtTheEnd).isTrue()
            }
        }

    @Test
    fun `a loss does what the annotation says`() =
        test<Works> { works ->
            runBlocking {
                assertThat(runCatching { works.bean.losing() }.exceptionOrNull())
                    .isExactlyInstanceOf(LockLostException::class.java)
                assertThat(works.bean.losingWithWarning()).isEqualTo("written")
                val cancelled = runCatching { works.bean.cancelledOnLoss() }.exceptionOrNull()
                assertThat(cancelled).isExactlyInstanceOf(LockLostException::class.java)
                assertThat(works.bean.cancelled).isTrue()
            }
        }

    @Test
    fun `functions that call each other enter the same lock again`() =
        test<Outer>(Works::class.java) { outer ->
            runBlocking {
                assertThat(outer.bean.nested()).isEqualTo("done 1")
                val locks = outer.other<DistributedReadWriteLock>()
                assertThat(locks.withWriteLock("work:1") { outer.bean.nested() }).isEqualTo("done 1")
            }
        }

    private inline fun <reified B : Any> test(vararg more: Class<*>, crossinline test: (Locked<B>) -> Unit) =
        Contexts.with<B>(*more) { test(it) }

    data class Order(val id: Long)

    open class Plain {
        @DecLocked(name = "work", waitTime = "1s") open fun token(): Long = DecLockContext.currentToken()
    }

    open class Outer(private val works: Works) {
        @DecLocked(name = "work", key = ["#p0"], waitTime = "1s")
        open suspend fun nested(id: Long = 1): String {
            delay(5)
            return works.awaiting(id, CompletableDeferred(Unit))
        }
    }

    @Suppress("unused")
    open class Works {
        open val failure = IOException("no paper")
        open var counted = 0
        @Volatile open var ran = false
        @Volatile open var validAtTheEnd = false
        @Volatile open var cancelled = false

        @DecLocked(name = "work", key = ["#id"], waitTime = "5s")
        open suspend fun awaiting(id: Long, go: CompletableDeferred<Unit>): String {
            go.await()
            return "done $id"
        }

        @DecLocked(name = "counter")
        open suspend fun count() {
            val read = counted
            delay(1)
            counted = read + 1
        }

        @DecLocked(name = "work")
        open suspend fun tokens(plain: Plain): List<Long> {
            val tokens = mutableListOf(DecLockContext.currentToken())
            delay(10)
            tokens += DecLockContext.currentToken()
            withContext(Dispatchers.IO) {
                tokens += DecLockContext.currentToken()
                delay(10)
                tokens += DecLockContext.currentToken()
            }
            tokens += plain.token()
            tokens += currentLockHandle()!!.fencingToken()
            tokens += ReactiveDecLockContext.currentToken().awaitSingle()
            return tokens
        }

        @DecLocked(name = "named", key = ["#order.id"])
        @DecLocked(name = "second", key = ["#p1"])
        @DecLocked(name = "last", key = ["#other"])
        @DecLocked(name = "count", key = ["#root.args.length - 1"])
        open suspend fun keyed(order: Order, other: String, body: suspend () -> Unit) {
            delay(5)
            body()
        }

        @DecLocked(name = "work", mode = LockMode.READ)
        open suspend fun reading(body: suspend () -> Unit) {
            delay(5)
            body()
        }

        @DecLocked(name = "busy", waitTime = "0")
        open suspend fun throwing() {
            ran = true
        }

        @DecLocked(name = "busy", waitTime = "20ms", onFailure = OnFailure.FALLBACK, fallback = "suspendedInstead")
        open suspend fun withSuspendingFallback(id: Long, other: String): String = "ran $id $other".also { ran = true }

        private suspend fun suspendedInstead(id: Long, other: String, why: DecLockException): String {
            delay(10)
            return "suspended $id$other ${why.javaClass.simpleName.removeSuffix("Exception")}"
        }

        @DecLocked(name = "busy", waitTime = "0", onFailure = OnFailure.FALLBACK, fallback = "plainInstead")
        open suspend fun withPlainFallback(id: Long): String = "ran $id".also { ran = true }

        private fun plainInstead(id: Long): String = "plain $id"

        @DecLocked(name = "busy", waitTime = "0", onFailure = OnFailure.RETURN_DEFAULT)
        open suspend fun number(): Int = 1.also { ran = true }

        @DecLocked(name = "busy", waitTime = "0", onFailure = OnFailure.RETURN_DEFAULT)
        open suspend fun numberOrNull(): Int? = 1.also { ran = true }

        @DecLocked(name = "busy", waitTime = "0", onFailure = OnFailure.RETURN_DEFAULT)
        open suspend fun list(): List<Int> = listOf(1).also { ran = true }

        @DecLocked(name = "busy", waitTime = "0", onFailure = OnFailure.SKIP)
        open suspend fun skipped() {
            ran = true
        }

        @DecLocked(name = "work") open suspend fun nothing(some: Boolean): String? = if (some) "some" else null

        @DecLocked(name = "work") open suspend fun unit() = delay(1)

        @DecLocked(name = "work")
        open suspend fun failing() {
            delay(1)
            throw failure
        }

        @DecLocked(name = "work")
        open suspend fun cleaningUp(go: CompletableDeferred<Unit>) {
            try {
                ran = true
                awaitCancellation()
            } finally {
                withContext(NonCancellable) { go.await() }
                validAtTheEnd = DecLockContext.currentHandle().isValid
            }
        }

        @DecLocked(name = "lost", leaseTime = "100ms")
        open suspend fun losing(): String {
            delay(300)
            return "written"
        }

        @DecLocked(name = "warned", leaseTime = "100ms", onLost = OnLost.LOG)
        open suspend fun losingWithWarning(): String {
            delay(300)
            return "written"
        }

        @DecLocked(name = "cancelled", leaseTime = "100ms", interruptOnLost = true)
        open suspend fun cancelledOnLoss() {
            try {
                awaitCancellation()
            } finally {
                withContext(NonCancellable) { delay(50) }
                cancelled = true
            }
        }
    }
}
