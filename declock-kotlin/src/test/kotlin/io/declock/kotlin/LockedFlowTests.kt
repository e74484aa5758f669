// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kotlin

import io.declock.LockLostException
import io.declock.LockRequest
import java.util.concurrent.atomic.AtomicBoolean
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.buffer
import kotlinx.coroutines.flow.channelFlow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

@Timeout(60)
class LockedFlowTests {
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

    private val request = LockRequest.write("stream").waitTime(5.seconds)

    private fun numbers(): Flow<Int> = flow {
        repeat(3) {
            assertThat(currentLockHandle()!!.isValid).isTrue()
            emit(it)
            delay(5)
        }
    }

    private suspend fun isBusy() = !processes.others.tryWithWriteLock("stream") {}.ran()

    @Test
    fun `each collection holds the lock while elements are emitted and worked on`(): Unit = runBlocking {
        val locked = numbers().locked(processes.mine, request)
        assertThat(isBusy()).isFalse()
        repeat(2) {
            assertThat(locked.map { number -> number to isBusy() }.toList())
                .containsExactly(0 to true, 1 to true, 2 to true)
            assertThat(processes.isFree("stream")).isTrue()
        }
    }

    @Test
    fun `the flow keeps its lock while the collector suspends and the two take turns`(): Unit =
        runBlocking(Dispatchers.Default) {
            val collecting = AtomicBoolean()
            val source = flow {
                repeat(20) {
                    assertThat(currentLockHandle()!!.isValid).isTrue()
                    assertThat(collecting).isFalse()
                    emit(it)
                    assertThat(collecting).isFalse()
                }
            }
            source.locked(processes.mine, request).collect {
                collecting.set(true)
                assertThat(currentLockHandle()).isNull()
                delay(1)
                collecting.set(false)
            }
        }

    @Test
    fun `a buffer before the lock keeps it and one behind it does not`(): Unit = runBlocking {
        val busy = mutableListOf<Boolean>()
        numbers().buffer(64).locked(processes.mine, request).collect {
            delay(50)
            busy += isBusy()
        }
        assertThat(busy).containsExactly(true, true, true)
        busy.clear()
        numbers().locked(processes.mine, request).buffer(64).collect {
            delay(50)
            busy += isBusy()
        }
        assertThat(busy.last()).isFalse()
    }

    @Test
    fun `a time-out of the flow itself goes on to the collector`(): Unit = runBlocking {
        val timed = flow<Int> { withTimeout(10.milliseconds) { awaitCancellation() } }
        val thrown = runCatching { timed.locked(processes.mine, request).collect {} }
        assertThat(thrown.exceptionOrNull()).isInstanceOf(TimeoutCancellationException::class.java)
    }

    @Test
    fun `a source that ends while the collector works on an element ends the collection`(): Unit = runBlocking {
        val failing = channelFlow {
            send(1)
            delay(20)
            error("the source failed")
        }
        val seen = mutableListOf<Int>()
        val failure = runCatching {
            failing.locked(processes.mine, request).collect {
                seen += it
                delay(100)
            }
        }
            .exceptionOrNull()
        assertThat(failure).hasMessage("the source failed")
        assertThat(seen).containsExactly(1)
    }

    @Test
    fun `a collector that has enough releases the lock`(): Unit = runBlocking {
        assertThat(numbers().locked(processes.mine, request).first()).isZero()
        assertThat(processes.isFree("stream")).isTrue()
    }

    @Test
    fun `a loss cancels the flow and its collector`(): Unit = runBlocking {
        val thrown = runCatching {
            numbers().locked(processes.mine, request.leaseTime(150.milliseconds)).collect {
                withTimeout(10.seconds) { awaitCancellation() }
            }
        }
        assertThat(thrown.exceptionOrNull()).isExactlyInstanceOf(LockLostException::class.java)
    }

    @Test
    fun `a failure of the collector passes unchanged`(): Unit = runBlocking {
        val own = IllegalStateException("enough")
        val thrown = runCatching { numbers().locked(processes.mine, request).collect { throw own } }
        assertThat(thrown.exceptionOrNull()!!.chain()).contains(own)
        assertThat(processes.isFree("stream")).isTrue()
    }
}
