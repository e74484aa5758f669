// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.LockView.State;
import io.declock.internal.memorynode.LockReport;
import io.declock.internal.memorynode.LockSummary;
import io.declock.spi.LockUse;
import io.declock.testkit.TcpProxy;
import io.declock.testkit.TcpProxy.Flow;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an operator of a memory node sees of the holders of a lock, and that holds can be ended there (decision 0112). */
@Timeout(60)
class OperatorTest {
    private static final LockOwner OWNER = LockOwner.named("batch 7");
    private static final LockOwner OTHER = LockOwner.named("batch 8");

    private static LockRig rig(boolean tcp) throws Exception {
        return tcp ? LockRig.overTcp(settings -> {}) : LockRig.inProcess();
    }

    private static LockReport look(LockRig rig, String name) throws Exception {
        return rig.memoryNode()
                .operator()
                .look("default", name)
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS)
                .orElseThrow();
    }

    /** Ends the holds that there are. */
    private static LockReport end(LockRig rig, String name) throws Exception {
        return end(rig, name, 0);
    }

    private static LockReport end(LockRig rig, String name, long upTo) throws Exception {
        return rig.memoryNode()
                .operator()
                .endHolds("default", name, upTo, "the batch hangs")
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS)
                .orElseThrow();
    }

    private static List<LockUse> usesOf(LockReport report, int user) {
        assertThat(report.users()).extracting(LockReport.User::answered).doesNotContain(false);
        return report.users().get(user).uses();
    }

    private static CompletableFuture<LockHandle> waitFor(ComputeNode node, LockOwner owner) {
        return node.acquireAsync(LockRequest.write("x"), owner).toCompletableFuture();
    }

    /** Waits until a lock has that many positions and its compute nodes that many uses. */
    private static void awaitUses(LockRig rig, String name, int uses) throws Exception {
        while (look(rig, name).users().stream()
                        .mapToInt(user -> user.uses().size())
                        .sum()
                != uses) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aHolderThatNeverWaitedIsSeenAndSoAreTheWaiters(boolean tcp) throws Exception {
        try (LockRig rig = rig(tcp)) {
            ComputeNode first = rig.join();
            ComputeNode second = rig.join();
            try (LockHandle handle = first.acquire(LockRequest.write("x"), OWNER)) {
                CompletableFuture<LockHandle> waiting = waitFor(second, OTHER);
                awaitUses(rig, "x", 2);
                LockReport report = look(rig, "x");
                assertThat(report.lock())
                        .isEqualTo(new LockSummary(
                                "default", "x", 2, 2, report.lock().epoch(), false));
                assertThat(report.inTrust()).isZero();
                assertThat(usesOf(report, 0)).singleElement().satisfies(use -> {
                    assertThat(use.state()).isEqualTo(State.HELD);
                    assertThat(use.mode()).isEqualTo(LockMode.WRITE);
                    assertThat(use.owner()).isEqualTo("batch 7");
                    assertThat(use.token()).isEqualTo(handle.fencingToken());
                    assertThat(use.ageNanos()).isPositive();
                });
                assertThat(usesOf(report, 1)).singleElement().satisfies(use -> {
                    assertThat(use.state()).isEqualTo(State.WAITING);
                    assertThat(use.owner()).isEqualTo("batch 8");
                    assertThat(use.token()).isZero();
                });
                handle.close();
                waiting.get(20, TimeUnit.SECONDS).close();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aHoldThatAnOperatorEndsIsLostAndTheNextWaiterIsGranted(boolean tcp) throws Exception {
        try (LockRig rig = rig(tcp)) {
            ComputeNode first = rig.join();
            ComputeNode second = rig.join();
            LockHandle handle = first.acquire(LockRequest.write("x"), OWNER);
            CompletableFuture<String> told = new CompletableFuture<>();
            handle.onLost((lost, why) -> told.complete(why.getMessage()));
            CompletableFuture<LockHandle> waiting = waitFor(second, OTHER);
            awaitUses(rig, "x", 2);

            LockReport ended = end(rig, "x");

            assertThat(usesOf(ended, 0))
                    .singleElement()
                    .satisfies(use -> assertThat(use.owner()).isEqualTo("batch 7"));
            LockHandle next = waiting.get(20, TimeUnit.SECONDS);
            assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
            assertThat(handle.isValid()).isFalse();
            assertThat(told.get(20, TimeUnit.SECONDS)).contains("'x'", "the batch hangs");
            assertThatThrownBy(handle::close)
                    .isInstanceOf(LockLostException.class)
                    .hasMessageContaining("the batch hangs");
            next.close();
            first.acquire(LockRequest.write("x"), OWNER).close();
        }
    }

    /** What an operator has seen may be over when the request to end it arrives. */
    @Test
    void aYoungerHoldGoesOn() throws Exception {
        try (LockRig rig = rig(true)) {
            ComputeNode node = rig.join();
            LockHandle earlier = node.acquire(LockRequest.write("x"), OWNER);
            earlier.close();
            LockHandle later = node.acquire(LockRequest.write("x"), OWNER);
            assertThat(usesOf(end(rig, "x", earlier.fencingToken()), 0)).isEmpty();
            assertThat(later.isValid()).isTrue();
            assertThat(usesOf(end(rig, "x", later.fencingToken()), 0)).hasSize(1);
            assertThat(later.isValid()).isFalse();
        }
    }

    @Test
    void aLockThatIsToStayTakenIsFreeWhenAnOperatorEndsItsHolds() throws Exception {
        LockRequest job = LockRequest.write("x").waitTime(Duration.ZERO).holdAtLeast(Duration.ofMinutes(1));
        try (LockRig rig = rig(true)) {
            ComputeNode first = rig.join();
            ComputeNode second = rig.join();
            first.acquire(job, OWNER).close();
            assertThat(usesOf(look(rig, "x"), 0))
                    .singleElement()
                    .satisfies(use -> assertThat(use.state()).isEqualTo(State.RESERVED));
            end(rig, "x");
            second.acquire(LockRequest.write("x").waitTime(Duration.ofSeconds(20)), OTHER)
                    .close();

            first.acquire(job.waitTime(Duration.ofSeconds(20)), OWNER).close();
            first.close();
            assertThat(look(rig, "x").inTrust()).isPositive();
            end(rig, "x");
            second.acquire(LockRequest.write("x").waitTime(Duration.ofSeconds(20)), OTHER)
                    .close();
            assertThat(look(rig, "x").inTrust()).isZero();
        }
    }

    @Test
    void aProcessThatIsCutOffIsToldApart() throws Exception {
        try (LockRig rig = rig(true);
                TcpProxy proxy = new TcpProxy(rig.port())) {
            ComputeNode first = rig.joinBy(proxy.port(), builder -> {});
            ComputeNode second = rig.join();
            first.acquire(LockRequest.read("x"), OWNER);
            second.acquire(LockRequest.read("x"), OTHER);
            proxy.set(Flow.LOST);
            LockReport report = end(rig, "x");
            assertThat(report.users()).extracting(LockReport.User::answered).containsExactly(false, true);
            assertThat(report.users().get(1).uses()).hasSize(1);
        }
    }

    @Test
    void locksAreFoundByNameAndTheBusiestComeFirst() throws Exception {
        try (LockRig rig = rig(false)) {
            ComputeNode node = rig.join();
            for (String name : List.of("order:1", "order:2", "stock:1")) {
                node.acquire(LockRequest.read(name), OWNER).close();
            }
            LockHandle held = node.acquire(LockRequest.write("stock:2"), OWNER);
            var operator = rig.memoryNode().operator();
            assertThat(operator.locks("", 2)).extracting(LockSummary::name).containsExactly("stock:2", "order:1");
            assertThat(operator.locks("stock", 10))
                    .extracting(LockSummary::name)
                    .containsExactly("stock:2", "stock:1");
            assertThat(operator.locks("stock", 10).get(0).writers()).isEqualTo(1);
            held.close();
            assertThat(operator.look("default", "order:3").toCompletableFuture().join())
                    .isEqualTo(Optional.empty());
            assertThat(operator.look("other", "order:1").toCompletableFuture().join())
                    .isEqualTo(Optional.empty());
        }
    }
}
