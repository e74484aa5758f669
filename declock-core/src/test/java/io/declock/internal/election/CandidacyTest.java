// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.election;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.internal.election.Standing.Role;
import io.declock.internal.memorynode.MemberList;
import io.declock.internal.memorynode.MemberList.ListedMember;
import io.declock.internal.memorynode.Term;
import io.declock.spi.ManualTime;
import io.declock.spi.election.ElectionEngine.Answer;
import io.declock.spi.election.ElectionEngine.Elected;
import io.declock.spi.election.ElectionEngine.Held;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Candidates at an engine whose clock, answers and reach the test controls (rules H6 and H9). */
class CandidacyTest {
    private static final Duration LEASE = Duration.ofSeconds(8);
    private static final Duration COUNTED = Duration.ofSeconds(7);
    private static final Duration ATTEMPT = Duration.ofSeconds(2);

    private final ManualTime time = new ManualTime();
    private final Engine engine = new Engine();
    private final List<String> addresses = new ArrayList<>(List.of("a", "b"));
    private final Map<String, Candidate> candidates = new HashMap<>();

    /** The engine itself. */
    private final class Engine {
        long term;
        String candidate = "";
        boolean running;
        long until;
        final Map<String, byte[]> kept = new HashMap<>();

        boolean runs() {
            return running && until - time.nanoTime() > 0;
        }
    }

    /** One candidate, and its client of the engine. */
    private final class Candidate implements Attempts, Candidacy.Host {
        final String address;
        final Candidacy candidacy;
        final List<String> log = new ArrayList<>();
        boolean reaches = true;
        /** Answers are told when this is empty again. */
        @Nullable
        List<Runnable> held;

        @Nullable
        Term term;

        @Nullable
        MemberList list;

        boolean hostFails;
        Runnable watched = () -> {};

        Candidate(String address) {
            this.address = address;
            this.candidacy = new Candidacy(
                    new Candidacy.Settings("mn", address, addresses, LEASE),
                    this,
                    this::askToPromise,
                    this,
                    time,
                    time,
                    Runnable::run);
            candidates.put(address, this);
        }

        private void askToPromise(List<String> others, long asked, long nanos, Runnable all) {
            if (others.stream().allMatch(other -> {
                Candidate there = candidates.get(other);
                return there != null && there.candidacy.promise(asked, nanos);
            })) {
                all.run();
            }
        }

        private void answer(Runnable told) {
            if (held == null) {
                told.run();
            } else {
                held.add(told);
            }
        }

        void letGo() {
            List<Runnable> all = List.copyOf(held);
            held = null;
            all.forEach(Runnable::run);
        }

        private <T> void attempt(Ending<T> ending, java.util.function.Supplier<T> step) {
            if (reaches) {
                T result = step.get();
                answer(() -> ending.answered(result));
            } else {
                answer(() -> ending.failed("out of reach"));
            }
        }

        @Override
        public void acquire(Ending<Answer> ending) {
            attempt(ending, () -> {
                if (engine.runs()) {
                    return new Held(engine.term, engine.candidate);
                }
                engine.term++;
                engine.candidate = address;
                engine.running = true;
                engine.until = time.nanoTime() + LEASE.toNanos();
                return new Elected(engine.term, engine.kept);
            });
        }

        @Override
        public void look(Ending<Optional<Held>> ending) {
            attempt(
                    ending,
                    () -> engine.runs() ? Optional.of(new Held(engine.term, engine.candidate)) : Optional.empty());
        }

        @Override
        public void renew(long number, Ending<Boolean> ending) {
            attempt(ending, () -> {
                boolean mine = engine.term == number && engine.running;
                engine.until = mine ? time.nanoTime() + LEASE.toNanos() : engine.until;
                return mine;
            });
        }

        @Override
        public void keep(long number, Map<String, Optional<byte[]>> changes, Ending<Boolean> ending) {
            attempt(ending, () -> {
                boolean mine = engine.term == number && engine.running;
                if (mine) {
                    changes.forEach((name, value) -> value.ifPresentOrElse(
                            bytes -> engine.kept.put(name, bytes), () -> engine.kept.remove(name)));
                }
                return mine;
            });
        }

        @Override
        public void resign(long number, Runnable ended) {
            if (reaches && engine.term == number) {
                engine.running = false;
                log.add("resigned");
            }
            ended.run();
        }

        @Override
        public void watch(Runnable mayHaveEnded) {
            watched = mayHaveEnded;
        }

        @Override
        public String title() {
            return "the engine";
        }

        @Override
        public void serve(Term serves, MemberList members) {
            if (hostFails) {
                throw new IllegalStateException("no memory");
            }
            term = serves;
            list = members;
            log.add("serves");
        }

        @Override
        public void standBy() {
            log.add("stands by");
        }

        Candidate start() {
            candidacy.start();
            return this;
        }

        boolean lasts() {
            return term != null && term.lasts();
        }

        Role role() {
            return candidacy.standing().role();
        }
    }

    /** The first candidate of two serves. */
    private Candidate serving() {
        Candidate first = new Candidate("a").start();
        time.advance(LEASE);
        assertThat(first.lasts()).isTrue();
        return first;
    }

    @Test
    void oneIsElectedAndTheOtherKnowsWho() {
        Candidate first = serving();
        Candidate second = new Candidate("b").start();
        time.advance(LEASE.multipliedBy(3));
        assertThat(first.log).containsExactly("stands by", "serves");
        assertThat(second.log).containsExactly("stands by");
        assertThat(second.candidacy.standing().serving()).isEqualTo("a");
        assertThat(second.role()).isEqualTo(Role.STANDING_BY);
        assertThat(first.candidacy.standing().elections()).isEqualTo(1);
    }

    @Test
    void aTermWithoutRenewalEndsBeforeTheEngineMayElectAnother() {
        Candidate first = serving();
        first.reaches = false;
        long last = time.nanoTime();
        time.advance(COUNTED.minusNanos(1));
        assertThat(first.lasts()).isTrue();
        time.advance(Duration.ofNanos(2));
        assertThat(first.lasts()).isFalse();
        assertThat(first.log).endsWith("serves", "stands by");
        assertThat(engine.until - time.nanoTime()).isPositive();
        assertThat(time.nanoTime() - last).isLessThan(LEASE.toNanos());
        assertThat(first.candidacy.standing().depositions()).isEqualTo(1);
    }

    @Test
    void aCandidateThatWasStoppedFindsItsTermOverBeforeAnyTimerRuns() {
        Candidate first = serving();
        List<Boolean> seen = new ArrayList<>();
        time.schedule(0, () -> seen.add(first.lasts()));
        time.jump(LEASE);
        assertThat(seen).containsExactly(false);
        assertThat(first.log).endsWith("stands by", "resigned");
    }

    @Test
    void aRenewalCountsFromWhenItWasSent() {
        Candidate first = serving();
        first.held = new ArrayList<>();
        time.advance(ATTEMPT);
        long sent = time.nanoTime();
        time.advance(ATTEMPT.dividedBy(2));
        List<Runnable> answers = first.held;
        first.held = new ArrayList<>();
        answers.forEach(Runnable::run);
        time.advance(Duration.ofNanos(sent + COUNTED.toNanos() - 1 - time.nanoTime()));
        assertThat(first.lasts()).isTrue();
        time.advance(Duration.ofNanos(1));
        assertThat(first.lasts()).isFalse();
    }

    @Test
    void anElectionWhoseAnswerComesTooLateDoesNotServe() {
        Candidate first = new Candidate("a");
        first.start();
        time.advance(LEASE.minusNanos(1));
        first.held = new ArrayList<>();
        time.advance(Duration.ofNanos(2));
        assertThat(engine.term).isEqualTo(1);
        time.advance(COUNTED);
        first.letGo();
        assertThat(first.lasts()).isFalse();
        assertThat(first.log).endsWith("stands by", "resigned");
    }

    @Test
    void aTermThatIsOverStaysOver() {
        Candidate first = serving();
        first.held = new ArrayList<>();
        time.advance(COUNTED.plus(ATTEMPT));
        assertThat(first.lasts()).isFalse();
        Term over = first.term;
        first.letGo();
        time.advance(ATTEMPT);
        assertThat(over.lasts()).isFalse();
    }

    @Test
    void aTermThatTheEngineEndsIsOverAtOnce() {
        Candidate first = serving();
        engine.term++;
        engine.candidate = "b";
        engine.until = time.nanoTime() + LEASE.toNanos();
        time.advance(ATTEMPT);
        assertThat(first.lasts()).isFalse();
        assertThat(first.log).containsExactly("stands by", "serves", "stands by");
    }

    @Test
    void aWriteThatTheEngineRefusesEndsTheTerm() {
        Candidate first = serving();
        engine.term++;
        List<String> told = new ArrayList<>();
        first.list.add(new ListedMember(1, 2, 3, 4, 5), outcome(told));
        assertThat(told).singleElement().asString().contains("over");
        assertThat(first.lasts()).isFalse();
    }

    @Test
    void aRefusedWriteOfAFormerTermDoesNotEndThePresentOne() {
        Candidate first = serving();
        MemberList former = first.list;
        engine.running = false;
        time.advance(ATTEMPT);
        time.advance(ATTEMPT);
        assertThat(engine.term).isEqualTo(2);
        assertThat(first.lasts()).isTrue();
        List<String> told = new ArrayList<>();
        former.add(new ListedMember(1, 2, 3, 4, 5), outcome(told));
        assertThat(told).singleElement().asString().contains("over");
        assertThat(first.lasts()).isTrue();
    }

    @Test
    void aCandidateTriesAtOnceWhenTheEngineSaysThatATermMayHaveEnded() {
        serving();
        Candidate second = new Candidate("b").start();
        time.advance(LEASE);
        engine.running = false;
        second.watched.run();
        time.advance(Duration.ofNanos(1));
        assertThat(second.lasts()).isTrue();
    }

    private static MemberList.Outcome outcome(List<String> told) {
        return new MemberList.Outcome() {
            @Override
            public void written() {
                told.add("written");
            }

            @Override
            public void failed(String why) {
                told.add(why);
            }
        };
    }

    @Test
    void whileTheEngineIsDownTheTermGoesOnByPromises() {
        Candidate first = serving();
        Candidate second = new Candidate("b").start();
        time.advance(LEASE);
        first.reaches = false;
        second.reaches = false;
        time.advance(LEASE.multipliedBy(5));
        assertThat(first.lasts()).isTrue();
        assertThat(first.candidacy.standing().promised()).isTrue();
        // The stand-by reaches the engine again, where the lease ran out long ago; it keeps its word.
        second.reaches = true;
        long until = time.nanoTime() + LEASE.multipliedBy(3).toNanos();
        while (time.nanoTime() < until) {
            time.advance(Duration.ofMillis(50));
            assertThat(first.lasts() && second.lasts()).as("two serve").isFalse();
        }
        assertThat(second.lasts()).isTrue();
        assertThat(first.lasts()).isFalse();
    }

    @Test
    void aCandidateThatReachesTheEnginePromisesNothing() {
        Candidate first = serving();
        Candidate second = new Candidate("b").start();
        time.advance(LEASE.plus(ATTEMPT));
        assertThat(second.candidacy.promise(engine.term, LEASE.toNanos())).isFalse();
        first.reaches = false;
        time.advance(COUNTED.plus(LEASE));
        assertThat(first.lasts()).isFalse();
        assertThat(second.lasts()).isTrue();
        assertThat(first.candidacy.promise(engine.term, LEASE.toNanos())).isTrue();
        assertThat(second.candidacy.promise(engine.term, LEASE.toNanos())).isFalse();
    }

    @Test
    void aPromiseToAnEarlierTermIsRefused() {
        Candidate first = serving();
        Candidate second = new Candidate("b").start();
        time.advance(LEASE.plus(ATTEMPT));
        first.reaches = false;
        second.reaches = false;
        time.advance(ATTEMPT);
        assertThat(second.candidacy.promise(engine.term - 1, 1)).isFalse();
        assertThat(second.candidacy.promise(engine.term, 1)).isTrue();
    }

    @Test
    void oneMissingPromiseIsTooFew() {
        addresses.add("c");
        Candidate first = serving();
        Candidate second = new Candidate("b").start();
        time.advance(LEASE);
        first.reaches = false;
        second.reaches = false;
        time.advance(LEASE.plus(ATTEMPT));
        assertThat(first.lasts()).isFalse();
    }

    @Test
    void aCandidateThatStartsMayHavePromisedAndWaits() {
        Candidate first = new Candidate("a").start();
        time.advance(LEASE.minusNanos(1));
        assertThat(engine.term).isZero();
        time.advance(Duration.ofNanos(2));
        assertThat(first.lasts()).isTrue();
    }

    @Test
    void aCandidateWithoutOthersWaitsForNobodyAndNeedsNoPromise() {
        addresses.remove("b");
        Candidate first = new Candidate("a").start();
        time.advance(Duration.ofMillis(1));
        assertThat(first.lasts()).isTrue();
        first.reaches = false;
        time.advance(LEASE.multipliedBy(4));
        assertThat(first.lasts()).isTrue();
    }

    @Test
    void anElectionUnderWayDoesNotBreakAPromise() {
        Candidate second = new Candidate("b");
        second.reaches = false;
        second.start();
        time.advance(LEASE.plus(ATTEMPT));
        second.held = new ArrayList<>();
        second.reaches = true;
        time.advance(ATTEMPT);
        assertThat(engine.term).as("the engine has elected it, unknown to it").isEqualTo(1);
        assertThat(second.candidacy.promise(1, LEASE.toNanos())).isTrue();
        second.letGo();
        assertThat(second.lasts()).isFalse();
        assertThat(second.log).containsExactly("stands by", "resigned");
        time.advance(LEASE.plus(ATTEMPT));
        assertThat(second.lasts()).isTrue();
    }

    @Test
    void onlyACandidateThatTheLastTermKnewIsElected() {
        Candidate first = serving();
        time.advance(ATTEMPT);
        addresses.remove("a");
        addresses.add("c");
        Candidate stranger = new Candidate("c").start();
        first.candidacy.close();
        time.advance(LEASE.plus(ATTEMPT));
        assertThat(stranger.lasts()).isFalse();
        assertThat(stranger.candidacy.standing().problem()).contains("c", "a, b", "not among the candidates");
        Candidate known = new Candidate("b").start();
        time.advance(LEASE.plus(ATTEMPT).plus(ATTEMPT));
        assertThat(known.lasts()).isTrue();
        known.candidacy.close();
        time.advance(LEASE);
        assertThat(stranger.lasts()).as("known by the list of the last term").isTrue();
    }

    @Test
    void whoEndsStopsServingBeforeItResigns() {
        Candidate first = serving();
        Candidate second = new Candidate("b").start();
        time.advance(LEASE);
        first.candidacy.close();
        assertThat(first.log).containsExactly("stands by", "serves", "stands by", "resigned");
        time.advance(ATTEMPT);
        assertThat(second.lasts()).isTrue();
        time.advance(LEASE.multipliedBy(2));
        assertThat(first.log).hasSize(4);
    }

    @Test
    void whoCannotServeResigns() {
        Candidate first = new Candidate("a");
        first.hostFails = true;
        first.start();
        time.advance(LEASE.plus(Duration.ofMillis(1)));
        assertThat(first.log).contains("resigned");
        assertThat(first.candidacy.standing().problem()).contains("no memory");
        first.hostFails = false;
        time.advance(LEASE);
        assertThat(first.lasts()).isTrue();
    }

    @Test
    void theNextTermFindsTheMembers() {
        Candidate first = serving();
        List<String> told = new ArrayList<>();
        first.list.begin(77);
        first.list.raiseMark(900, outcome(told));
        first.list.add(new ListedMember(1, 20, -3, 4, 5), outcome(told));
        first.list.add(new ListedMember(2, 21, 6, 7, 8), outcome(told));
        first.list.remove(1, 20);
        first.list.complete(true, outcome(told));
        assertThat(told).hasSize(4).containsOnly("written");
        first.list.add(new ListedMember(3, 19, -9, 1, 2), outcome(told));
        Candidate second = new Candidate("b").start();
        first.candidacy.close();
        time.advance(LEASE.plus(ATTEMPT));
        MemberList.Former former = second.list.former();
        assertThat(former.complete()).isTrue();
        assertThat(former.members())
                .containsExactlyInAnyOrder(new ListedMember(2, 21, 6, 7, 8), new ListedMember(3, 19, -9, 1, 2));
        assertThat(former.mark()).isEqualTo(900);
        assertThat(former.highestIncarnation()).isEqualTo(21);
        assertThat(former.lives()).containsExactly(77L);
    }

    @Test
    void whatMakesNoSenseAtTheEngineMakesTheListIncomplete() {
        engine.kept.put("complete", "true".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        engine.kept.put("member.1.x", "nonsense".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        engine.kept.put("later", "unknown names are left alone".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        Candidate first = serving();
        assertThat(first.list.former().complete()).isFalse();
    }

    @Test
    void aRemovalThatFailsIsTriedAgainAndAnAdditionIsNot() {
        Candidate first = serving();
        List<String> told = new ArrayList<>();
        first.list.add(new ListedMember(1, 2, 3, 4, 5), outcome(told));
        first.reaches = false;
        first.list.remove(1, 2);
        first.list.add(new ListedMember(2, 2, 3, 4, 5), outcome(told));
        time.advance(ATTEMPT);
        first.reaches = true;
        time.advance(ATTEMPT.multipliedBy(2));
        assertThat(told).containsExactly("written", "out of reach");
        assertThat(engine.kept).doesNotContainKeys("member.1.2", "member.2.2");
    }
}
