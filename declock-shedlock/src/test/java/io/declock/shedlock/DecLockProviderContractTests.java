// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.ComputeNodeSettings;
import io.declock.DecLock;
import io.declock.internal.tcp.server.LoopbackMemoryNode;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;
import net.javacrumbs.shedlock.test.support.FuzzTester;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** ShedLock's own tests of providers. Whether a name is locked is asked by another process. */
@Tag("slow")
@Timeout(120)
class DecLockProviderContractTests extends AbstractExtensibleLockProviderIntegrationTest {
    private static LoopbackMemoryNode memoryNode;
    private static DecLock node;
    private static DecLock otherNode;
    private static DecLockProvider provider;
    private static DecLockProvider other;

    @BeforeAll
    static void start() throws Exception {
        memoryNode = new LoopbackMemoryNode();
        node = memoryNode.open(ComputeNodeSettings.DEFAULTS);
        otherNode = memoryNode.open(ComputeNodeSettings.DEFAULTS);
        provider = new DecLockProvider(node);
        other = new DecLockProvider(otherNode);
    }

    @AfterAll
    static void stop() {
        node.close();
        otherNode.close();
        memoryNode.close();
    }

    @Override
    protected ExtensibleLockProvider getLockProvider() {
        return provider;
    }

    @Override
    protected void assertLocked(String lockName) {
        assertThat(ask(lockName)).isEmpty();
    }

    /** A release returns before it has reached the memory node. */
    @Override
    protected void assertUnlocked(String lockName) {
        await().atMost(Duration.ofMillis(500)).pollDelay(Duration.ZERO).until(() -> {
            Optional<SimpleLock> granted = ask(lockName);
            granted.ifPresent(SimpleLock::unlock);
            return granted.isPresent();
        });
    }

    private static Optional<SimpleLock> ask(String lockName) {
        return other.lock(new LockConfiguration(ClockProvider.now(), lockName, Duration.ofMinutes(5), Duration.ZERO));
    }

    @Test
    void tasksOfTwoProcessesExcludeEachOther() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        new FuzzTester(configuration -> (calls.getAndIncrement() % 2 == 0 ? provider : other).lock(configuration))
                .doFuzzTest();
    }
}
