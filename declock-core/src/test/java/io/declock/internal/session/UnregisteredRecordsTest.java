// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.spi.ControlPlane;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.Resolution;
import io.declock.spi.RestoredHold;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** From the answer of the memory node until its lock is registered, a record is not given back. */
class UnregisteredRecordsTest {
    private final Queue<CompletableFuture<Object>> requests = new ArrayDeque<>();
    private final List<@Nullable Set<Long>> seenWhileSending = new ArrayList<>();
    private final UnregisteredRecords records = new UnregisteredRecords(fabric());

    private FabricSession fabric() {
        ControlPlane control = proxy(ControlPlane.class, this::asked);
        return proxy(FabricSession.class, () -> control);
    }

    private static <T> T proxy(Class<T> type, Supplier<Object> answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> answer.get()));
    }

    private CompletableFuture<Object> asked() {
        seenWhileSending.add(records().get());
        CompletableFuture<Object> answer = new CompletableFuture<>();
        requests.add(answer);
        return answer;
    }

    private UnregisteredRecords records() {
        return records;
    }

    private CompletableFuture<Object> request() {
        return Objects.requireNonNull(requests.poll(), "nothing was asked");
    }

    private static Resolution resolution(long record) {
        return new Resolution(record, 1, false);
    }

    @Test
    void aRecordIsUnregisteredFromTheAnswerUntilItIsRegistered() {
        CompletableFuture<Resolution> answer = records.resolve("a");
        assertThat(records.get()).as("before the answer").isEmpty();
        request().complete(resolution(64));
        assertThat(records.get()).containsExactly(64L);
        records.resolved(answer);
        assertThat(records.get()).isEmpty();
    }

    @Test
    void whileARequestIsSentNothingIsKnown() {
        records.resolve("a");
        assertThat(seenWhileSending).containsExactly((Set<Long>) null);
    }

    @Test
    void aResolutionThatFailsHasNoRecord() {
        records.resolve("a");
        request().completeExceptionally(new FabricException("no"));
        assertThat(records.get()).isEmpty();
    }

    @Test
    void whileAHoldIsRestoredNoRecordIsGivenBack() {
        records.restore(new RestoredHold("a", true, 1));
        assertThat(records.get()).isNull();
        request().complete(64L);
        assertThat(records.get()).as("not registered yet").isNull();
        records.restoreEnded();
        assertThat(records.get()).isEmpty();
    }

    @Test
    void anActionWaitsForTheAnswersToWhatWasSentBefore() {
        List<String> run = new ArrayList<>();
        records.resolve("a");
        records.resolve("b");
        records.whenResolved(() -> run.add("then"));
        request().complete(resolution(64));
        assertThat(run).isEmpty();
        request().completeExceptionally(new FabricException("no"));
        assertThat(run).containsExactly("then");
    }
}
