// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.declock.spi.election.ElectionEngine.Answer;
import io.declock.spi.election.ElectionEngine.Elected;
import io.declock.spi.election.ElectionEngine.Held;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every {@link ElectionEngine} does. A subclass opens clients of one real engine, each as another process would. */
@Timeout(60)
public abstract class ElectionEngineContract {
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final String FIRST = "tcp://a1:7420";
    private static final String SECOND = "tcp://a2:7420";

    private final List<ElectionEngine> opened = new ArrayList<>();
    /** Each test has a memory node of its own, so that they need not share an empty engine. */
    protected final String memoryNode = "locks-" + NUMBER.incrementAndGet() + "-" + Long.toHexString(System.nanoTime());

    /** Opens another client of the same engine. */
    protected abstract ElectionEngine open() throws Exception;

    /** Returns the shortest lease that the engine can give, at least 1 s. */
    protected Duration lease() {
        return Duration.ofSeconds(2);
    }

    /** Returns how long after the end of a lease the engine may still count it. */
    protected Duration late() {
        return Duration.ofSeconds(3);
    }

    /** Returns whether the engine tells of ended terms. */
    protected boolean tells() {
        return true;
    }

    /** Keeps a client from the engine, as if its process had been stopped. By default it is enough that it is not used. */
    protected void stop(ElectionEngine engine) {}

    /** Lets it go on. */
    protected void goOn(ElectionEngine engine) {}

    /** Opens a client that is closed after the test. */
    protected final ElectionEngine client() throws Exception {
        ElectionEngine engine = open();
        opened.add(engine);
        return engine;
    }

    @AfterEach
    void closeClients() {
        opened.forEach(ElectionEngine::close);
    }

    private long elected(ElectionEngine engine, String candidate) throws Exception {
        return election(engine, candidate).term();
    }

    private Elected election(ElectionEngine engine, String candidate) throws Exception {
        Answer answer = engine.acquire(memoryNode, candidate, lease());
        assertThat(answer).isInstanceOf(Elected.class);
        return (Elected) answer;
    }

    private static Optional<byte[]> value(String text) {
        return Optional.of(text.getBytes(StandardCharsets.UTF_8));
    }

    private static Map<String, String> texts(Elected elected) {
        Map<String, String> texts = new TreeMap<>();
        elected.kept().forEach((name, value) -> texts.put(name, new String(value, StandardCharsets.UTF_8)));
        return texts;
    }

    @Test
    void theFirstCandidateIsElectedAndFindsNothing() throws Exception {
        Elected first = election(client(), FIRST);
        assertThat(first.term()).isPositive();
        assertThat(first.kept()).isEmpty();
    }

    @Test
    void whileATermRunsNobodyElseIsElected() throws Exception {
        ElectionEngine one = client();
        long term = elected(one, FIRST);
        assertThat(client().acquire(memoryNode, SECOND, lease())).isEqualTo(new Held(term, FIRST));
        assertThat(one.acquire(memoryNode, FIRST, lease())).isEqualTo(new Held(term, FIRST));
    }

    @Test
    void whoServesCanBeLookedAt() throws Exception {
        ElectionEngine one = client();
        ElectionEngine two = client();
        assertThat(two.look(memoryNode)).isEmpty();
        long term = elected(one, FIRST);
        assertThat(two.look(memoryNode)).contains(new Held(term, FIRST));
        assertThat(one.look(memoryNode)).contains(new Held(term, FIRST));
        one.resign(memoryNode, term);
        assertThat(two.look(memoryNode)).isEmpty();
    }

    @Test
    void memoryNodesHaveTermsOfTheirOwn() throws Exception {
        ElectionEngine one = client();
        elected(one, FIRST);
        assertThat(one.acquire(memoryNode + "-other", FIRST, lease())).isInstanceOf(Elected.class);
    }

    @Test
    void aTermThatIsResignedEndsAtOnce() throws Exception {
        ElectionEngine one = client();
        long first = elected(one, FIRST);
        one.resign(memoryNode, first);
        assertThat(one.renew(memoryNode, first, lease())).isFalse();
        assertThat(elected(client(), SECOND)).isGreaterThan(first);
        assertThat(one.renew(memoryNode, first, lease())).isFalse();
    }

    @Test
    void toResignATermThatIsOverDoesNotEndTheNext() throws Exception {
        ElectionEngine one = client();
        long first = elected(one, FIRST);
        one.resign(memoryNode, first);
        ElectionEngine two = client();
        long second = elected(two, SECOND);
        one.resign(memoryNode, first);
        assertThat(two.renew(memoryNode, second, lease())).isTrue();
        assertThat(one.acquire(memoryNode, FIRST, lease())).isEqualTo(new Held(second, SECOND));
    }

    @Test
    void aTermWithoutRenewalEndsWithItsLeaseAndNotBefore() throws Exception {
        ElectionEngine one = client();
        long before = System.nanoTime();
        long first = elected(one, FIRST);
        stop(one);
        ElectionEngine two = client();
        AtomicLong second = new AtomicLong();
        await().pollInterval(Duration.ofMillis(50)).atMost(lease().plus(late())).until(() -> {
            if (two.acquire(memoryNode, SECOND, lease()) instanceof Elected elected) {
                second.set(elected.term());
            }
            return second.get() > 0;
        });
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(lease());
        assertThat(second.get()).isGreaterThan(first);
        goOn(one);
        await().ignoreExceptions().atMost(Duration.ofSeconds(10)).until(() -> !one.renew(memoryNode, first, lease()));
        assertThat(one.keep(memoryNode, first, Map.of("mark", value("9")))).isFalse();
    }

    @Test
    void whoWasStoppedWhenAnotherWasElectedKeepsNothingMore() throws Exception {
        ElectionEngine one = client();
        long first = elected(one, FIRST);
        assertThat(one.keep(memoryNode, first, Map.of("mark", value("1")))).isTrue();
        stop(one);
        ElectionEngine two = client();
        AtomicLong second = new AtomicLong();
        await().pollInterval(Duration.ofMillis(50)).atMost(lease().plus(late())).until(() -> {
            if (two.acquire(memoryNode, SECOND, lease()) instanceof Elected elected) {
                second.set(elected.term());
            }
            return second.get() > 0;
        });
        goOn(one);
        // Without a renewal before, by which its client could learn that the term is over.
        await().ignoreExceptions()
                .atMost(Duration.ofSeconds(10))
                .until(() -> !one.keep(memoryNode, first, Map.of("mark", value("2"))));
        two.resign(memoryNode, second.get());
        assertThat(texts(election(client(), FIRST))).isEqualTo(Map.of("mark", "1"));
    }

    @Test
    void aTermThatIsRenewedGoesOn() throws Exception {
        ElectionEngine one = client();
        long term = elected(one, FIRST);
        ElectionEngine two = client();
        long until = System.nanoTime() + lease().plus(lease()).toNanos();
        while (System.nanoTime() < until) {
            assertThat(one.renew(memoryNode, term, lease())).isTrue();
            assertThat(two.acquire(memoryNode, SECOND, lease())).isEqualTo(new Held(term, FIRST));
            TimeUnit.NANOSECONDS.sleep(lease().toNanos() / 8);
        }
    }

    @Test
    void laterTermsFindWhatWasKept() throws Exception {
        ElectionEngine one = client();
        long first = elected(one, FIRST);
        assertThat(one.keep(
                        memoryNode,
                        first,
                        Map.of("mark", value("7"), "member.1.2", value("x"), "member.2.3", value("y"))))
                .isTrue();
        assertThat(one.keep(memoryNode, first, Map.of("mark", value("8"), "member.1.2", Optional.empty())))
                .isTrue();
        one.resign(memoryNode, first);
        ElectionEngine two = client();
        Elected second = election(two, SECOND);
        assertThat(texts(second)).isEqualTo(Map.of("mark", "8", "member.2.3", "y"));
        two.resign(memoryNode, second.term());
        assertThat(texts(election(one, FIRST))).isEqualTo(Map.of("mark", "8", "member.2.3", "y"));
    }

    @Test
    void whatIsKeptMayHaveAnyBytes() throws Exception {
        ElectionEngine one = client();
        byte[] value = new byte[4096];
        for (int i = 0; i < value.length; i++) {
            value[i] = (byte) i;
        }
        long term = elected(one, FIRST);
        assertThat(one.keep(memoryNode, term, Map.of("a", Optional.of(value)))).isTrue();
        one.resign(memoryNode, term);
        assertThat(election(one, FIRST).kept().get("a")).isEqualTo(value);
    }

    @Test
    void toRemoveWhatIsNotKeptChangesNothing() throws Exception {
        ElectionEngine one = client();
        long term = elected(one, FIRST);
        assertThat(one.keep(memoryNode, term, Map.of("none", Optional.empty(), "mark", value("1"))))
                .isTrue();
        one.resign(memoryNode, term);
        assertThat(texts(election(one, FIRST))).isEqualTo(Map.of("mark", "1"));
    }

    @Test
    void aTermThatIsOverKeepsNothingMore() throws Exception {
        ElectionEngine one = client();
        long first = elected(one, FIRST);
        assertThat(one.keep(memoryNode, first, Map.of("mark", value("1")))).isTrue();
        one.resign(memoryNode, first);
        ElectionEngine two = client();
        long second = elected(two, SECOND);
        assertThat(one.keep(memoryNode, first, Map.of("mark", value("2"), "late", value("x"))))
                .isFalse();
        two.resign(memoryNode, second);
        assertThat(texts(election(one, FIRST))).isEqualTo(Map.of("mark", "1"));
    }

    @Test
    void manyChangesAreMadeAtOnce() throws Exception {
        ElectionEngine one = client();
        long term = elected(one, FIRST);
        for (int round = 0; round < 4; round++) {
            Map<String, Optional<byte[]>> changes = new HashMap<>();
            for (int i = 0; i < ElectionEngine.MOST_CHANGES; i++) {
                changes.put("member." + round + "." + i, value("v" + i));
            }
            assertThat(one.keep(memoryNode, term, changes)).isTrue();
        }
        one.resign(memoryNode, term);
        assertThat(election(one, FIRST).kept()).hasSize(4 * ElectionEngine.MOST_CHANGES);
    }

    @Test
    void ofManyCandidatesAtATimeOneIsElected() throws Exception {
        int candidates = 6;
        List<ElectionEngine> engines = new ArrayList<>();
        for (int i = 0; i < candidates; i++) {
            engines.add(client());
        }
        ExecutorService threads = Executors.newFixedThreadPool(candidates);
        try {
            long last = 0;
            for (int round = 0; round < 5; round++) {
                CountDownLatch start = new CountDownLatch(1);
                List<Future<Answer>> answers = new ArrayList<>();
                for (int i = 0; i < candidates; i++) {
                    ElectionEngine engine = engines.get(i);
                    String candidate = "tcp://a" + i + ":7420";
                    answers.add(threads.submit(() -> {
                        start.await();
                        return engine.acquire(memoryNode, candidate, lease());
                    }));
                }
                start.countDown();
                List<Elected> elected = new ArrayList<>();
                int winner = 0;
                for (int i = 0; i < candidates; i++) {
                    if (answers.get(i).get() instanceof Elected one) {
                        elected.add(one);
                        winner = i;
                    }
                }
                assertThat(elected).hasSize(1);
                assertThat(elected.get(0).term()).isGreaterThan(last);
                last = elected.get(0).term();
                engines.get(winner).resign(memoryNode, last);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void theEndOfATermIsTold() throws Exception {
        ElectionEngine one = client();
        ElectionEngine two = client();
        long first = elected(one, FIRST);
        AtomicInteger told = new AtomicInteger();
        two.watch(memoryNode, told::incrementAndGet);
        assertThat(two.acquire(memoryNode, SECOND, lease())).isInstanceOf(Held.class);
        int before = told.get();
        one.resign(memoryNode, first);
        if (tells()) {
            await().atMost(Duration.ofSeconds(2)).until(() -> told.get() > before);
        }
        assertThat(elected(two, SECOND)).isGreaterThan(first);
    }

    @Test
    void aClosedClientFailsAndItsTermEndsByItself() throws Exception {
        ElectionEngine one = client();
        elected(one, FIRST);
        one.close();
        ElectionEngine two = client();
        await().pollInterval(Duration.ofMillis(50))
                .atMost(lease().plus(late()))
                .until(() -> two.acquire(memoryNode, SECOND, lease()) instanceof Elected);
        assertThatExceptionOfType(ElectionException.class).isThrownBy(() -> one.acquire(memoryNode, FIRST, lease()));
    }

    @Test
    void itsTitleSaysWhatAndWhere() throws Exception {
        assertThat(client().title()).isNotBlank().doesNotContainIgnoringCase("password");
    }
}
