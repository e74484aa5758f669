// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kotlin.spring

import io.declock.LockLostException
import io.declock.kotlin.chain
import io.declock.spring.DecLockContext
import io.declock.spring.DecLocked
import io.declock.spring.OnFailure
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** Functions of beans that return a Flow. */
@Timeout(60)
class FlowMethodsTests {
    @Test
    fun `each collection holds the lock and calls the function`() = test { streams ->
        runBlocking {
            val numbers = streams.bean.numbers(1)
            assertThat(streams.bean.calls).isZero()
            assertThat(streams.isBusy("stream:1")).isFalse()
            repeat(2) {
                assertThat(numbers.map { number -> number to streams.isBusy("stream:1") }.toList())
                    .containsExactly(0 to true, 1 to true)
                streams.awaitHeld(0)
            }
            assertThat(streams.bean.calls).isEqualTo(2)
        }
    }

    @Test
    fun `a collector that has enough or is cancelled releases the lock`() = test { streams ->
        runBlocking {
            assertThat(streams.bean.numbers(1).first()).isZero()
            streams.awaitHeld(0)
            val collecting = launch(Dispatchers.Default) { streams.bean.endless().collect {} }
            streams.awaitHeld(1)
            collecting.cancelAndJoin()
            // A grant that comes together with the cancellation is given back on another thread.
            streams.awaitHeld(0)
            assertThat(streams.isBusy("endless")).isFalse()
        }
    }

    @Test
    fun `the function and its flow see the current lock`() = test { streams ->
        runBlocking {
            val tokens = streams.bean.tokens().toList()
            assertThat(tokens).hasSize(3).containsOnly(tokens.first())
        }
    }

    @Test
    fun `a collector that suspends takes no lock from the flow and gets none`() = test { streams ->
        runBlocking(Dispatchers.Default) {
            val tokens = mutableListOf<Long>()
            streams.bean.tokens().collect {
                tokens += it
                assertThat(DecLockContext.isLocked()).isFalse()
                delay(5)
                assertThat(DecLockContext.isLocked()).isFalse()
            }
            assertThat(tokens).hasSize(3).containsOnly(tokens.first())
            assertThat(DecLockContext.isLocked()).isFalse()
        }
        repeat(8) { runBlocking(Dispatchers.Default) { assertThat(DecLockContext.isLocked()).isFalse() } }
    }

    @Test
    fun `a busy lock leads to an empty flow or to the fallback`() = test { streams ->
        streams.acquire("busy").use {
            runBlocking {
                assertThat(streams.bean.orEmpty().toList()).isEmpty()
                assertThat(streams.bean.orFallback("x").toList()).containsExactly("instead of x")
            }
        }
    }

    @Test
    fun `a loss fails the collection and cancels it if that is asked for`() = test { streams ->
        runBlocking {
            assertThat(runCatching { streams.bean.losing().toList() }.exceptionOrNull())
                .isExactlyInstanceOf(LockLostException::class.java)
            assertThat(runCatching { streams.bean.cancelledOnLoss().toList() }.exceptionOrNull())
                .isExactlyInstanceOf(LockLostException::class.java)
        }
    }

    @Test
    fun `failures of the flow and of the collector pass unchanged`() = test { streams ->
        runBlocking {
            val own = IllegalStateException("enough")
            val thrown = runCatching { streams.bean.numbers(1).collect { throw own } }
            assertThat(thrown.exceptionOrNull()!!.chain()).contains(own)
        }
    }

    private fun test(test: (Locked<Streams>) -> Unit) = Contexts.with<Streams> { test(it) }

    @Suppress("unused", "UNUSED_PARAMETER")
    open class Streams {
        open var calls = 0

        @DecLocked(name = "stream", key = ["#id"])
        open fun numbers(id: Long): Flow<Int> {
            calls++
            return flow {
                emit(0)
                delay(5)
                emit(1)
            }
        }

        @DecLocked(name = "endless")
        open fun endless(): Flow<Int> = flow {
            emit(0)
            awaitCancellation()
        }

        @DecLocked(name = "stream")
        open fun tokens(): Flow<Long> {
            val called = DecLockContext.currentToken()
            return flow {
                emit(called)
                emit(DecLockContext.currentToken())
                delay(5)
                emit(DecLockContext.currentToken())
            }
        }

        @DecLocked(name = "busy", waitTime = "0", onFailure = OnFailure.RETURN_DEFAULT)
        open fun orEmpty(): Flow<Int> = flowOf(1)

        @DecLocked(name = "busy", waitTime = "0", onFailure = OnFailure.FALLBACK, fallback = "instead")
        open fun orFallback(what: String): Flow<String> = flowOf("ran")

        private fun instead(what: String): Flow<String> = flowOf("instead of $what")

        @DecLocked(name = "lost", leaseTime = "100ms")
        open fun losing(): Flow<Int> = flow {
            emit(1)
            delay(300)
        }

        @DecLocked(name = "cancelled", leaseTime = "100ms", interruptOnLost = true)
        open fun cancelledOnLoss(): Flow<Int> = flow { awaitCancellation() }
    }
}
