// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kotlin.spring

import io.declock.spring.DecLocked
import io.declock.spring.OnFailure
import io.declock.spring.OnLost
import io.declock.spring.Release
import java.util.concurrent.CompletableFuture
import java.util.stream.Stream
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Job
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.Arguments
import org.junit.jupiter.params.provider.Arguments.arguments
import org.junit.jupiter.params.provider.MethodSource
import org.springframework.boot.test.context.FilteredClassLoader
import org.springframework.core.io.ClassPathResource

/** Functions that cannot be locked are reported when the application starts. */
class MisuseTests {
    @ParameterizedTest
    @MethodSource("misuses")
    fun `is refused with its remedy`(bean: Class<*>, remedies: List<String>) {
        Contexts.locks().withBean(bean).run { context ->
            assertThat(context).hasFailed()
            assertThat(context.startupFailure!!.message).contains(remedies)
        }
    }

    @ParameterizedTest
    @MethodSource("needing")
    fun `is refused without the module`(bean: Class<*>) {
        val without = FilteredClassLoader(ClassPathResource("META-INF/services/io.declock.spring.aop.Coroutines"))
        Contexts.locks().withClassLoader(without).withBean(bean).run { context ->
            assertThat(context).hasFailed()
            assertThat(context.startupFailure!!.message).contains("needs the module io.declock:declock-kotlin")
        }
    }

    @Test
    fun `work that goes on behind a hidden type is refused when it is returned`() =
        Contexts.with<Hidden> { hidden ->
            runBlocking {
                val thrown = runCatching { hidden.bean.locked() }.exceptionOrNull()!!
                assertThat(thrown.message).contains("Hidden.locked()", "would continue without the lock")
                val plain = runCatching { hidden.bean.flow() }.exceptionOrNull()!!
                assertThat(plain.message).contains("Hidden.flow()", "would continue without the lock")
            }
        }

    open class SuspendingFlow {
        @DecLocked(name = "a") open suspend fun locked(): Flow<Int> = flowOf(1)
    }

    open class State {
        @DecLocked(name = "a") open fun locked(): StateFlow<Int> = error("not called")
    }

    open class Awaited {
        @DecLocked(name = "a") open suspend fun locked(): Deferred<Int> = error("not called")
    }

    open class Launched {
        @DecLocked(name = "a") open suspend fun locked(): Job = error("not called")
    }

    open class Staged {
        @DecLocked(name = "a") open suspend fun locked(): CompletableFuture<Int> = error("not called")
    }

    open class RollingBack {
        @DecLocked(name = "a", onLost = OnLost.ROLL_BACK) open suspend fun locked() = delay(1)
    }

    open class AfterCompletion {
        @DecLocked(name = "a", release = Release.AFTER_COMPLETION) open suspend fun locked() = delay(1)
    }

    open class ContinuationAsKey {
        @DecLocked(name = "a", key = ["#p1"]) open suspend fun locked(id: Long) = delay(id)
    }

    open class ContinuationByName {
        @DecLocked(name = "a", key = ["#\$completion"]) open suspend fun locked(id: Long) = delay(id)
    }

    open class Skipping {
        @DecLocked(name = "a", onFailure = OnFailure.SKIP) open suspend fun locked(): String = "a"
    }

    open class NullForText {
        @DecLocked(name = "a", onFailure = OnFailure.RETURN_DEFAULT) open suspend fun locked(): String = "a"
    }

    @Suppress("unused")
    open class OtherFallback {
        @DecLocked(name = "a", onFailure = OnFailure.FALLBACK, fallback = "other")
        open suspend fun locked(id: Long): String = "a$id"

        private suspend fun other(id: Long): Int = id.toInt()
    }

    @Suppress("unused")
    open class SuspendingFallbackOfPlain {
        @DecLocked(name = "a", onFailure = OnFailure.FALLBACK, fallback = "other") open fun locked(): Any = "a"

        private suspend fun other(): Any = "b"
    }

    open class SelfInvocation {
        @DecLocked(name = "a") open suspend fun locked() = delay(1)

        open suspend fun calling() = locked()
    }

    open class LateSelfInvocation {
        @DecLocked(name = "a") open suspend fun locked() = delay(1)

        open suspend fun calling(): Int {
            delay(1)
            locked()
            return 1
        }
    }

    open class Suspending {
        @DecLocked(name = "a") open suspend fun locked() = delay(1)
    }

    open class Hidden {
        @DecLocked(name = "a") open suspend fun locked(): Any = CompletableFuture<Int>()

        @DecLocked(name = "a") open fun flow(): Any = flowOf(1)
    }

    companion object {
        private fun misuse(bean: Class<*>, vararg remedies: String) = arguments(bean, remedies.toList())

        @JvmStatic fun needing(): List<Class<*>> = listOf(Suspending::class.java)

        @JvmStatic
        fun misuses(): Stream<Arguments> =
            Stream.of(
                misuse(SuspendingFlow::class.java, "SuspendingFlow.locked()", "Remove 'suspend'"),
                misuse(State::class.java, "State.locked()", "must be Flow, not StateFlow"),
                misuse(Awaited::class.java, "Awaited.locked()", "Await it"),
                misuse(Launched::class.java, "Launched.locked()", "Await it"),
                misuse(Staged::class.java, "Staged.locked()", "Await it"),
                misuse(RollingBack::class.java, "onLost = ROLL_BACK"),
                misuse(AfterCompletion::class.java, "release = AFTER_COMPLETION"),
                misuse(ContinuationAsKey::class.java, "ContinuationAsKey.locked(long)", "no parameter 'p1'"),
                misuse(ContinuationByName::class.java, "no parameter '\$completion'"),
                misuse(Skipping::class.java, "onFailure = SKIP", "String"),
                misuse(NullForText::class.java, "String is not nullable", "Declare String?"),
                misuse(
                    OtherFallback::class.java,
                    "OtherFallback.other(long) returning",
                    "other(long) returning String",
                ),
                misuse(SuspendingFallbackOfPlain::class.java, "does not fit"),
                misuse(SelfInvocation::class.java, "SelfInvocation.calling", "on its own object"),
                misuse(LateSelfInvocation::class.java, "LateSelfInvocation.calling", "on its own object"),
            )
    }
}
