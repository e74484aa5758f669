// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.ComputeNodeMonitor;
import io.declock.DistributedReadWriteLock;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.spring.Contexts;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The list of locks is bounded, whatever is asked for. */
class DecLockEndpointTests {
    private static final int MOST = 10_000;

    @Test
    void noRequestListsMoreThanTenThousandLocks() {
        Contexts.locks()
                .withPropertyValues("declock.embedded.records=" + 2 * MOST)
                .run(context -> {
                    DistributedReadWriteLock lock = context.getBean(DistributedReadWriteLock.class);
                    LockOwner owner = LockOwner.named("test");
                    for (int i = 0; i <= MOST; i++) {
                        lock.acquire(LockRequest.read("x" + i), owner);
                    }
                    DecLockEndpoint endpoint = new DecLockEndpoint(context.getBean(ComputeNodeMonitor.class));
                    assertListed(endpoint, null, 1_000);
                    assertListed(endpoint, 5, 5);
                    assertListed(endpoint, 0, 1);
                    assertListed(endpoint, -7, 1);
                    assertListed(endpoint, MOST, MOST);
                    assertListed(endpoint, Integer.MAX_VALUE, MOST);
                });
    }

    private static void assertListed(DecLockEndpoint endpoint, @Nullable Integer asked, int listed) {
        DecLockEndpoint.Locks locks = endpoint.locks(asked);
        assertThat(locks.held()).as("asked for %s", asked).hasSize(listed);
        assertThat(locks.heldNow()).isEqualTo(MOST + 1);
        assertThat(locks.truncated()).isTrue();
    }
}
