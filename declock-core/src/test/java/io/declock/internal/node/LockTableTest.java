// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.ComputeNodeSettings;
import io.declock.internal.local.LocalLock;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which names are forgotten when there are more than the bound. */
@Timeout(60)
class LockTableTest {
    private static final int MAX_IDLE = 256;

    private LockRig rig;
    private ComputeNode node;

    @BeforeEach
    void start() throws Exception {
        rig = LockRig.inProcess(settings -> settings.records(10_000));
        node = rig.join(builder -> builder.settings(
                ComputeNodeSettings.builder().maxIdleLocks(MAX_IDLE).build()));
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    @Test
    void aNameThatIsUsedAgainAndAgainIsKeptWhileNamesComeOnce() {
        use("hot");
        LocalLock hot = LockRig.lock(node, "hot");
        for (int i = 0; i < 5_000; i++) {
            use("once-" + i);
            if (i % 8 == 0) {
                use("hot");
                assertThat(LockRig.lock(node, "hot")).as("after %s names", i).isSameAs(hot);
            }
        }
        assertThat(node.monitor().tableSize()).isLessThanOrEqualTo(MAX_IDLE);
    }

    @Test
    void theTableIsBoundedAlsoWhileEveryNameIsUsedAgain() {
        for (int i = 0; i < 5_000; i++) {
            use("name-" + i);
            use("name-" + i);
            assertThat(node.monitor().tableSize()).isLessThanOrEqualTo(MAX_IDLE + MAX_IDLE / 16 + 1);
        }
    }

    /** An application may keep the lock objects of very many names. */
    @Test
    void whoKeepsALockObjectKeepsNothingOfAForgottenName() {
        Lock kept = node.lock("kept").writeLock();
        kept.lock();
        kept.unlock();
        WeakReference<LocalLock> state = new WeakReference<>(LockRig.lock(node, "kept"));
        for (int i = 0; i < 2 * MAX_IDLE; i++) {
            use("once-" + i);
        }
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            System.gc();
            return state.get() == null;
        });
        kept.lock();
        kept.unlock();
    }

    private void use(String name) {
        Lock lock = node.lock(name).writeLock();
        lock.lock();
        lock.unlock();
    }
}
