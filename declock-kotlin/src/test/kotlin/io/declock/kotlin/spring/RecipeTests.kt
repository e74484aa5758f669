// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kotlin.spring

import io.declock.DistributedReadWriteLock
import io.declock.kotlin.withWriteLock
import io.declock.spring.DecLocked
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.springframework.stereotype.Component

/** The code of docs/recipes.md for suspending functions. */
@Timeout(60)
class RecipeTests {
    @Test
    fun `one order is shipped by one coroutine at a time`() =
        Contexts.with<Shipping>(Carrier::class.java) { shipping ->
            val carrier = shipping.other<Carrier>()
            runBlocking {
                List(20) { async(Dispatchers.Default) { shipping.bean.ship(42) } }.awaitAll()
                List(20) { async(Dispatchers.Default) { shipping.bean.reship(42) } }.awaitAll()
            }
            assertThat(carrier.mostAtATime).isEqualTo(1)
            assertThat(carrier.tokens).hasSize(20).isSorted.doesNotHaveDuplicates()
        }

    class Receipt

    @Component
    class Carrier {
        private var now = 0
        var mostAtATime = 0
        val tokens = mutableListOf<Long>()

        suspend fun book(id: Long): Receipt {
            check(id == 42L)
            mostAtATime = maxOf(mostAtATime, ++now)
            delay(1)
            now--
            return Receipt()
        }

        suspend fun book(id: Long, token: Long): Receipt {
            tokens += token
            return book(id)
        }
    }

    // tag::kotlin-suspend[]
    @Component
    open class Shipping(private val carrier: Carrier, private val locks: DistributedReadWriteLock) {
        @DecLocked(name = "order", key = ["#id"], waitTime = "2s")
        open suspend fun ship(id: Long): Receipt = carrier.book(id)

        open suspend fun reship(id: Long): Receipt =
            locks.withWriteLock("order:$id", wait = 2.seconds) { handle -> carrier.book(id, handle.fencingToken()) }
    }
    // end::kotlin-suspend[]
}
