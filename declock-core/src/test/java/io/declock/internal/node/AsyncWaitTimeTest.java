// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.GrantKind;
import io.declock.LockMode;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.spi.LockObserver;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AsyncWaitTimeTest {
    @Test
    void theWaitIsMeasuredAlsoIfTheCallbackRunsBeforeTheCallReturns() throws Exception {
        AtomicLong waited = new AtomicLong(Long.MIN_VALUE);
        LockObserver observer = new LockObserver() {
            @Override
            public void granted(String name, LockMode mode, GrantKind kind, long waitNanos) {
                waited.set(waitNanos);
            }
        };
        try (LockRig rig = LockRig.inProcess()) {
            ComputeNode node = rig.join(builder ->
                    builder.withoutThreads(Runnable::run, new Signal()).observer(observer));

            node.acquireAsync(LockRequest.write("x"), LockOwner.named("someone"))
                    .toCompletableFuture()
                    .join()
                    .close();

            assertThat(waited.get()).isBetween(0L, Duration.ofSeconds(60).toNanos());
        }
    }
}
