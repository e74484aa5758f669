// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockScope;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DecLockContextTests {
    private final DistributedReadWriteLock locks = mock(DistributedReadWriteLock.class);
    private final LockScope outer = LockScope.of(locks, mock(LockHandle.class), null, null);
    private final LockScope inner = LockScope.of(locks, mock(LockHandle.class), null, outer);

    @Test
    void aScopeThatIsClosedElsewhereOrTwiceLeavesTheThreadAlone() throws Exception {
        try (DecLockContext.Scope scope = DecLockContext.enter(outer)) {
            DecLockContext.Scope nested = DecLockContext.enter(inner);
            assertThat(DecLockContext.currentScope()).isSameAs(inner);
            CompletableFuture.runAsync(() -> {
                        nested.close();
                        assertThat(DecLockContext.isLocked()).isFalse();
                    })
                    .get(5, TimeUnit.SECONDS);
            nested.close();
            assertThat(DecLockContext.currentScope()).isSameAs(outer);
            scope.close();
            nested.close();
            assertThat(DecLockContext.isLocked()).isFalse();
        }
        assertThat(DecLockContext.isLocked()).isFalse();
    }

    @Test
    void aScopeEndsThoseInsideOfIt() {
        DecLockContext.Scope scope = DecLockContext.enter(outer);
        DecLockContext.enter(inner);
        scope.close();
        assertThat(DecLockContext.isLocked()).isFalse();
    }
}
