// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

@file:Suppress("unused", "UNUSED_VARIABLE")

package io.declock.kotlin.spring

import io.declock.DistributedReadWriteLock
import io.declock.LockMode
import io.declock.LockNotGrantedException
import io.declock.LockRequest
import io.declock.kotlin.getOrElse
import io.declock.kotlin.locked
import io.declock.kotlin.tryWithWriteLock
import io.declock.kotlin.waitTime
import io.declock.kotlin.withLock
import io.declock.kotlin.withReadLock
import io.declock.kotlin.withWriteLock
import io.declock.spring.DecLocked
import io.declock.spring.OnFailure
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.asFlow
import kotlinx.coroutines.flow.buffer
import kotlinx.coroutines.flow.emptyFlow
import kotlinx.coroutines.flow.flowOn
import org.springframework.stereotype.Service

/** The code of docs/kotlin.md, which only has to compile. */
internal abstract class KotlinPage(private val locks: DistributedReadWriteLock, private val orders: List<Long>) {
    class Receipt

    class Entry

    interface Invoices {
        suspend fun create(order: Long, token: Long): Receipt
    }

    interface Reports {
        suspend fun build(): String

        fun latest(): String
    }

    interface Client {
        suspend fun fetch(): String
    }

    abstract val invoices: Invoices
    abstract val reports: Reports
    abstract val client: Client

    abstract suspend fun transfer(from: Long, to: Long)

    abstract suspend fun ship(order: Long)

    suspend fun blocks() {
        // tag::kotlin-blocks[]
        val invoice = locks.withWriteLock("order:42") { handle -> invoices.create(42, handle.fencingToken()) }

        locks.withReadLock("catalogue", wait = 2.seconds) { client.fetch() }

        locks.withLock(LockRequest.write("account:1").andWrite("account:2").waitTime(5.seconds)) { transfer(1, 2) }

        val report = locks.tryWithWriteLock("report") { reports.build() }.getOrElse { reports.latest() }

        orders.asFlow().locked(locks, LockRequest.read("orders")).collect { ship(it) }
        // end::kotlin-blocks[]
    }

    suspend fun buffers(request: LockRequest) {
        // tag::kotlin-buffers[]
        orders.asFlow().flowOn(Dispatchers.IO).buffer(64).locked(locks, request).collect { ship(it) }
        orders.asFlow().locked(locks, request).buffer(64).collect { ship(it) }
        // end::kotlin-buffers[]
    }

    // tag::kotlin-annotation[]
    @Service
    class Orders {
        @DecLocked(
            name = "order",
            key = ["#id"],
            waitTime = "200ms",
            onFailure = OnFailure.FALLBACK,
            fallback = "queued",
        )
        suspend fun ship(id: Long): Receipt {
            return Receipt()
        }

        private suspend fun queued(id: Long, why: LockNotGrantedException): Receipt {
            return Receipt()
        }

        @DecLocked(name = "catalogue", mode = LockMode.READ) fun entries(): Flow<Entry> = emptyFlow()
    }
    // end::kotlin-annotation[]
}
