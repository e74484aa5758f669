// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kotlin

import io.declock.LockNotGrantedException
import io.declock.LockOutcome
import io.declock.LockOwner
import io.declock.LockRequest
import java.io.IOException
import java.util.concurrent.Executors
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** Coroutines that lock, with real locks of two processes. */
@Timeout(60)
class WithLockTests {
    private lateinit var processes: TwoProcesses

    @BeforeEach
    fun start() {
        processes = TwoProcesses()
    }

    @AfterEach
    fun stop() {
        processes.awaitHeld(0)
        processes.close()
    }

    private val locks
        get() = processes.mine

    @Test
    fun `two hundred coroutines on two threads exclude each other`() {
        val pool = Executors.newFixedThreadPool(2)
        var count = 0
        var inside = 0
        runBlocking(pool.asCoroutineDispatcher()) {
            List(200) { index ->
                    launch {
                        val process = if (index % 2 == 0) processes.mine else processes.others
                        process.withWriteLock("counter") {
                            assertThat(++inside).isEqualTo(1)
                            val read = count
                            yield()
                            if (index % 10 == 0) delay(1)
                            count = read + 1
                            inside--
                        }
                    }
                }
                .joinAll()
        }
        pool.shutdown()
        assertThat(count).isEqualTo(200)
    }

    @Test
    fun `a coroutine that waits blocks no thread`() {
        val one = Executors.newSingleThreadExecutor()
        val order = mutableListOf<String>()
        runBlocking(one.asCoroutineDispatcher()) {
            val granted = CompletableDeferred<Unit>()
            val other = launch {
                granted.await()
                locks.withWriteLock("order") { order += "second" }
            }
            locks.withWriteLock("order") {
                granted.complete(Unit)
                // On the only thread, so that the other coroutine can only wait by suspending.
                while (locks.monitor().waitingNow() == 0L) delay(1)
                order += "first"
            }
            other.join()
        }
        one.shutdown()
        assertThat(order).containsExactly("first", "second")
    }

    @Test
    fun `cancellation while it waits frees the place in the queue`(): Unit = runBlocking {
        val other = processes.heldByOther("order")
        val waiting = launch(Dispatchers.Default) { locks.withWriteLock("order") { error("must not run") } }
        processes.awaitWaiting(1)
        waiting.cancelAndJoin()
        processes.awaitWaiting(0)
        other.close()
        assertThat(processes.isFree("order")).isTrue()
    }

    @Test
    fun `cancellation in the body releases when the body has completed`(): Unit = runBlocking {
        val begun = CompletableDeferred<Long>()
        val body =
            launch(Dispatchers.Default) {
                locks.withWriteLock("order") {
                    begun.complete(it.fencingToken())
                    try {
                        awaitCancellation()
                    } finally {
                        assertThat(it.isValid).isTrue()
                    }
                }
            }
        assertThat(begun.await()).isPositive()
        body.cancelAndJoin()
        assertThat(processes.isFree("order")).isTrue()
    }

    @Test
    fun `cancellations that race with grants leave nothing held`(): Unit = runBlocking {
        repeat(100) { round ->
            val other = processes.heldByOther("order")
            val waiting = launch(Dispatchers.Default) { locks.withWriteLock("order") { awaitCancellation() } }
            processes.awaitWaiting(1)
            val releasing = launch(Dispatchers.IO) { other.close() }
            if (round % 2 == 0) yield() else releasing.join()
            waiting.cancelAndJoin()
            releasing.join()
        }
        processes.awaitHeld(0)
    }

    @Test
    fun `what the body launches is over before the release`(): Unit = runBlocking {
        var valid = false
        locks.withWriteLock("order") { handle ->
            launch(Dispatchers.Default) {
                delay(100)
                valid = handle.isValid
            }
        }
        assertThat(valid).isTrue()
        assertThat(processes.isFree("order")).isTrue()
    }

    @Test
    fun `the lock may be released on another thread`(): Unit = runBlocking {
        val threads = mutableSetOf<Thread>()
        withContext(Dispatchers.Unconfined) {
            locks.withWriteLock("order") {
                threads += Thread.currentThread()
                delay(10)
                threads += Thread.currentThread()
            }
            threads += Thread.currentThread()
        }
        assertThat(threads).hasSizeGreaterThan(1)
        assertThat(processes.isFree("order")).isTrue()
    }

    @Test
    fun `results and exceptions of the body pass unchanged`(): Unit = runBlocking {
        val answer: String? = locks.withWriteLock("order") { null }
        assertThat(answer).isNull()
        val thrown = IOException("no paper")
        val caught = runCatching { locks.withWriteLock("order") { throw thrown } }.exceptionOrNull()
        assertThat(caught).isExactlyInstanceOf(IOException::class.java)
        assertThat(caught!!.chain()).contains(thrown)
        assertThat(caught.suppressed).isEmpty()
        assertThat(processes.isFree("order")).isTrue()
    }

    @Test
    fun `readers share the lock and a writer does not`(): Unit = runBlocking {
        withTimeout(10.seconds) {
            locks.withReadLock("order") {
                launch {
                    processes.others.withReadLock("order") {}
                    assertThat(processes.others.tryWithWriteLock("order") {}.ran()).isFalse()
                    assertThat(processes.others.tryWithReadLock("order") { 1 }.getOrNull()).isEqualTo(1)
                }
                    .join()
            }
        }
    }

    @Test
    fun `an outcome tells a busy lock from a result of null`(): Unit = runBlocking {
        processes.heldByOther("order").use {
            val busy: LockOutcome<String?> = locks.tryWithWriteLock("order", wait = 50.milliseconds) { "ran" }
            assertThat(busy.ran()).isFalse()
            assertThat(busy.getOrNull()).isNull()
            assertThat(busy.getOrElse { "other" }).isEqualTo("other")
            assertThatThrownBy { busy.get() }.hasMessageContaining("order")
        }
        val ran: LockOutcome<String?> = locks.tryWithWriteLock("order", wait = 5.seconds) { null }
        assertThat(ran).isEqualTo(LockOutcome.of<String?>(null))
        assertThat(ran.getOrElse { "other" }).isNull()
    }

    @Test
    fun `a refusal inside of the body is no busy lock`(): Unit = runBlocking {
        processes.heldByOther("inner").use {
            val caught = runCatching {
                locks.tryWithWriteLock("outer", wait = 5.seconds) {
                    locks.withWriteLock("inner", wait = Duration.ZERO) {}
                }
            }
            assertThat(caught.exceptionOrNull()).isInstanceOf(LockNotGrantedException::class.java)
        }
        assertThat(processes.isFree("outer")).isTrue()
    }

    @Test
    fun `a block inside of a block enters the same lock again`(): Unit = runBlocking {
        locks.withWriteLock("order") { outer ->
            locks.withWriteLock("line") {
                val inner = locks.withReadLock("order", wait = 1.seconds) { it.fencingToken() }
                assertThat(inner).isEqualTo(outer.fencingToken())
            }
            assertThat(outer.isValid).isTrue()
            assertThat(currentLockHandle()).isSameAs(outer)
        }
        assertThat(currentLockHandle()).isNull()
    }

    @Test
    fun `coroutines side by side in one block exclude each other from other locks`(): Unit = runBlocking {
        var inside = 0
        withContext(Dispatchers.Default) {
            locks.withWriteLock("batch") {
                List(20) {
                        async {
                            locks.withWriteLock("item") {
                                assertThat(++inside).isEqualTo(1)
                                delay(1)
                                inside--
                            }
                        }
                    }
                    .awaitAll()
            }
        }
    }

    @Test
    fun `coroutines with the context of a block that has ended exclude each other`(): Unit = runBlocking {
        val inside = Inside()
        val after = locks.withWriteLock("order") { currentCoroutineContext().minusKey(Job) }
        withContext(after + Dispatchers.Default) {
            List(20) {
                    async {
                        locks.withWriteLock("order") {
                            inside.enter()
                            delay(1)
                            inside.leave()
                        }
                    }
                }
                .awaitAll()
        }
        assertThat(inside.mostAtATime).isEqualTo(1)
    }

    @Test
    fun `a coroutine that the block starts elsewhere is over before the release`(): Unit = runBlocking {
        var valid = false
        locks.withWriteLock("order") { handle ->
            val begun = CompletableDeferred<Unit>()
            CoroutineScope(currentCoroutineContext().minusKey(Job) + Dispatchers.Default).launch {
                begun.complete(Unit)
                delay(100)
                valid = handle.isValid
            }
            begun.await()
        }
        assertThat(valid).isTrue()
    }

    @Test
    fun `a request for a lock that is held and for another is refused`(): Unit = runBlocking {
        locks.withWriteLock("a") {
            val refused = runCatching { locks.withLock(LockRequest.write("a").andWrite("b")) {} }.exceptionOrNull()
            assertThat(refused).isInstanceOf(IllegalStateException::class.java)
            assertThat(refused).hasMessageContaining("'a'").hasMessageContaining("'b'")
            locks.withWriteLock("b") {
                val ofTwo = runCatching { locks.withLock(LockRequest.write("a").andWrite("b")) {} }.exceptionOrNull()
                assertThat(ofTwo).isInstanceOf(IllegalStateException::class.java)
            }
        }
        locks.withLock(LockRequest.write("a").andWrite("b")) {
            locks.withLock(LockRequest.read("b").andWrite("a").waitTime(1.seconds)) {}
        }
    }

    @Test
    fun `an endless minimum is refused and an endless ceiling is none`(): Unit = runBlocking {
        assertThatThrownBy { LockRequest.write("order").holdAtLeast(Duration.INFINITE) }
            .isInstanceOf(IllegalArgumentException::class.java)
            .hasMessageContaining("holdAtLeast must be finite")
        locks.withWriteLock("order", lease = Duration.INFINITE) { assertThat(it.isValid).isTrue() }
    }

    @Test
    fun `an endless wait is granted in the end`(): Unit = runBlocking {
        val other = processes.heldByOther("order")
        val waiting = async(Dispatchers.Default) { locks.withWriteLock("order", wait = Duration.INFINITE) { "ran" } }
        processes.awaitWaiting(1)
        other.close()
        assertThat(waiting.await()).isEqualTo("ran")
    }

    @Test
    fun `several names are one request`(): Unit = runBlocking {
        locks.withLock(LockRequest.write("a").andRead("b").waitTime(5.seconds).leaseTime(10.seconds)) { handle ->
            assertThat(handle.fencingToken("b")).isPositive()
            val prober = LockOwner.named("prober")
            assertThat(processes.others.tryWithLock(LockRequest.write("b").waitTime(Duration.ZERO)) {}.ran()).isFalse()
            processes.others.acquire(LockRequest.read("b"), prober).close()
        }
    }
}
