// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kotlin.spring

import io.declock.ComputeNodeMonitor
import io.declock.DistributedReadWriteLock
import io.declock.LockHandle
import io.declock.LockMode
import io.declock.LockOwner
import io.declock.LockRequest
import io.declock.spring.autoconfigure.DecLockAopAutoConfiguration
import io.declock.spring.autoconfigure.DecLockAutoConfiguration
import java.nio.file.Files
import java.nio.file.Path
import java.time.Duration
import org.awaitility.Awaitility.await
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.context.ApplicationContext

/** Application contexts with a real memory node of their own, in the same process. */
internal object Contexts {
    private val directory = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "embedded")

    fun locks(): ApplicationContextRunner =
        ApplicationContextRunner()
            .withConfiguration(
                AutoConfigurations.of(
                    PropertyPlaceholderAutoConfiguration::class.java,
                    SslAutoConfiguration::class.java,
                    AopAutoConfiguration::class.java,
                    DecLockAutoConfiguration::class.java,
                    DecLockAopAutoConfiguration::class.java,
                )
            )
            .withPropertyValues(
                "declock.embedded.port=0",
                "spring.main.cloud-platform=none",
                "declock.embedded.directory=$directory",
                "declock.node-name=test",
                "declock.shutdown.timeout=1s",
            )

    /** Runs a test with that bean, and sees that it leaves nothing held. */
    inline fun <reified B : Any> with(vararg more: Class<*>, crossinline test: (Locked<B>) -> Unit) {
        more
            .fold(locks().withBean(B::class.java)) { runner, bean -> runner.withBean(bean) }
            .run { context ->
                val locked = Locked(context, context.getBean(B::class.java))
                test(locked)
                locked.awaitHeld(0)
            }
    }
}

/** A bean with locked functions, and the locks. */
internal class Locked<B>(private val context: ApplicationContext, val bean: B) {
    private val locks = context.getBean(DistributedReadWriteLock::class.java)
    private val monitor = context.getBean(ComputeNodeMonitor::class.java)

    fun acquire(name: String, owner: String = "other"): LockHandle =
        locks.acquire(LockRequest.write(name).waitTime(Duration.ofSeconds(5)), LockOwner.named(owner))

    fun isBusy(name: String, mode: LockMode = LockMode.WRITE): Boolean = runCatching {
        locks.acquire(LockRequest.of(name, mode).waitTime(Duration.ZERO), LockOwner.named("prober")).close()
    }
        .isFailure

    fun awaitHeld(count: Long) = await().pollInterval(Duration.ofMillis(2)).until { monitor.heldNow() == count }

    fun awaitWaiting(count: Long) = await().pollInterval(Duration.ofMillis(2)).until { monitor.waitingNow() == count }

    inline fun <reified T : Any> other(): T = context.getBean(T::class.java)
}
