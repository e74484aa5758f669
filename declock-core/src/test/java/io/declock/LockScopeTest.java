// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.internal.tcp.server.LoopbackMemoryNode;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LockScopeTest {
    private final LockOwner owner = LockOwner.named("one");
    private final LoopbackMemoryNode memoryNode = new LoopbackMemoryNode();
    private final DecLock locks;

    LockScopeTest() throws Exception {
        locks = memoryNode.open(
                ComputeNodeSettings.builder().lease(Duration.ofSeconds(5)).build());
    }

    @AfterEach
    void close() throws Exception {
        locks.close();
        memoryNode.close();
    }

    private LockScope held(LockRequest request, LockOwner by, LockScope outer) throws InterruptedException {
        return LockScope.of(locks, locks.acquire(request, by), by, outer);
    }

    @Test
    void aScopeOfOtherLocksDoesNotCountWhateverItsNames() throws Exception {
        LockScope outer = held(LockRequest.write("a"), owner, null);
        try (DecLock others = memoryNode.open(
                ComputeNodeSettings.builder().namespace("others").build())) {
            assertThat(LockScope.holding(others, outer, LockRequest.write("a"))).isNull();
            LockScope inner = LockScope.of(others, others.acquire(LockRequest.write("a"), owner), owner, outer);
            outer.end();
            assertThat(LockScope.holding(others, inner, LockRequest.write("a"))).isSameAs(inner);
            assertThat(LockScope.holding(locks, inner, LockRequest.write("a"))).isNull();
            inner.handle().close();
        }
    }

    @Test
    void theInnermostScopeThatHasTheNamesDecides() throws Exception {
        LockOwner other = LockOwner.named("other");
        LockScope outer = held(LockRequest.write("a").andRead("b"), owner, null);
        LockScope inner = held(LockRequest.read("b"), other, outer);
        assertThat(LockScope.holding(locks, inner, LockRequest.write("a"))).isSameAs(outer);
        assertThat(LockScope.holding(locks, inner, LockRequest.read("b"))).isSameAs(inner);
        assertThat(LockScope.holding(locks, inner, LockRequest.read("c"))).isNull();
        assertThat(LockScope.holding(locks, null, LockRequest.read("a"))).isNull();
        assertThat(LockScope.holding(locks, outer, LockRequest.read("b").andRead("a")))
                .isSameAs(outer);
        inner.end();
        assertThat(LockScope.holding(locks, inner, LockRequest.read("b"))).isSameAs(outer);
        outer.end();
        assertThat(LockScope.holding(locks, inner, LockRequest.read("b"))).isNull();
    }

    @Test
    void aRequestThatNoOwnerCouldMakeIsRefused() throws Exception {
        LockScope outer = held(LockRequest.write("a"), owner, null);
        LockScope inner = held(LockRequest.write("b"), LockOwner.named("other"), outer);
        for (LockRequest request : new LockRequest[] {
            LockRequest.write("a").andWrite("c"),
            LockRequest.write("c").andWrite("a"),
            LockRequest.write("a").andWrite("b")
        }) {
            assertThatThrownBy(() -> LockScope.holding(locks, inner, request))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("request of its own");
        }
    }

    @Test
    void aThreadsLocksAreNoneOfAnExplicitOwner() throws Exception {
        LockScope scope = LockScope.of(locks, locks.acquire(LockRequest.write("a")), null, null);
        assertThat(LockScope.holding(locks, scope, LockRequest.write("a"))).isNull();
        assertThat(LockScope.holding(locks, scope, LockRequest.write("a").andWrite("b")))
                .isNull();
        scope.handle().close();
    }

    @Test
    void whatIsEnteredAfterTheEndIsGivenBack() throws Exception {
        LockScope scope = held(LockRequest.write("a"), owner, null);
        LockHandle entered = locks.acquire(LockRequest.write("a"), owner);
        assertThat(scope.checkEntered(entered)).isSameAs(entered);
        entered.close();
        scope.end();
        scope.handle().close();
        LockHandle anew = locks.acquire(LockRequest.write("a"), owner);
        assertThatThrownBy(() -> scope.checkEntered(anew))
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("given back or lost meanwhile");
        assertThat(anew.isValid()).isFalse();
    }

    @Test
    void eachNameMustHaveBeenHeld() throws Exception {
        LockScope outer = held(LockRequest.write("a").andWrite("b"), owner, null);
        LockScope inner = held(LockRequest.write("a"), owner, outer);
        LockRequest both = LockRequest.write("b").andWrite("a");
        LockScope around = LockScope.holding(locks, inner, both);
        assertThat(around).isSameAs(inner);
        outer.end();
        outer.handle().close();
        LockHandle half = locks.acquire(both, owner);
        assertThatThrownBy(() -> around.checkEntered(half)).isInstanceOf(LockLostException.class);
        assertThat(inner.handle().isValid()).isTrue();
        assertThatThrownBy(() -> LockScope.holding(locks, inner, both)).isInstanceOf(IllegalStateException.class);
        inner.handle().close();
    }

    @Test
    void anInnerCeilingLeavesTheOuterHold() throws Exception {
        LockScope outer = held(LockRequest.write("a"), owner, null);
        LockScope inner = held(LockRequest.write("a").leaseTime(Duration.ofMillis(50)), owner, outer);
        Awaitility.await().until(() -> !inner.handle().isValid());
        LockHandle entered = locks.acquire(LockRequest.write("a"), owner);
        assertThat(inner.checkEntered(entered)).isSameAs(entered);
        outer.handle().close();
    }

    @Test
    void whatIsEnteredAfterTheLossIsGivenBack() throws Exception {
        LockScope scope = held(LockRequest.write("a").leaseTime(Duration.ofMillis(50)), owner, null);
        LockHandle entered = locks.acquire(LockRequest.write("a"), owner);
        Awaitility.await().until(() -> !scope.handle().isValid());
        assertThatThrownBy(() -> scope.checkEntered(entered)).isInstanceOf(LockLostException.class);
        assertThat(entered.isValid()).isFalse();
        assertThatThrownBy(() -> locks.acquire(LockRequest.write("a"), owner)).isInstanceOf(LockLostException.class);
    }
}
