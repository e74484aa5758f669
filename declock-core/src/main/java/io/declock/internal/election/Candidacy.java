// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.election;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.internal.election.Standing.Role;
import io.declock.internal.memorynode.MemberList;
import io.declock.internal.memorynode.Term;
import io.declock.internal.time.Clock;
import io.declock.internal.time.TimerService;
import io.declock.spi.election.ElectionEngine.Answer;
import io.declock.spi.election.ElectionEngine.Elected;
import io.declock.spi.election.ElectionEngine.Held;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One candidate of a memory node with stand-bys: stands for election at an engine, has its host serve while its term lasts, and stand by
 * otherwise (rules H6, H7 and H9 of docs/protocol.md).
 *
 * <p>A term lasts for seven eighths of the engine's lease, from the moment when the last successful renewal was sent. While the engine is
 * out of reach, it goes on for as long as every other candidate promises not to take over. A candidate gives such a promise only while it
 * cannot reach the engine either.
 *
 * <p>Thread-safe. The host is called by the executor, one call at a time.
 */
public final class Candidacy implements AutoCloseable {
    /** The part of a lease, in eighths, on which a candidate counts: its clock may run slower than the engine's. */
    private static final int COUNTED_EIGHTHS = 7;

    private static final int EIGHTHS = 8;
    private static final int ATTEMPTS_PER_LEASE = 4;
    private static final Logger log = LoggerFactory.getLogger(Candidacy.class);

    private final Settings settings;
    private final Attempts engine;
    private final Peers peers;
    private final Host host;
    private final Clock clock;
    private final TimerService timer;
    private final Executor executor;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private Role role = Role.STANDING_BY;

    @GuardedBy("lock")
    private @Nullable Mandate mandate;

    @GuardedBy("lock")
    private boolean attempting;

    @GuardedBy("lock")
    private boolean closed;

    @GuardedBy("lock")
    private long promisedUntil;

    /** Each plan of an attempt has its number, so that a later one replaces an earlier one. */
    @GuardedBy("lock")
    private long plan;

    @GuardedBy("lock")
    private long highestTerm;

    @GuardedBy("lock")
    private String serving = "";

    @GuardedBy("lock")
    private String problem = "";

    @GuardedBy("lock")
    private boolean promised;

    @GuardedBy("lock")
    private long elections;

    @GuardedBy("lock")
    private long depositions;

    /**
     * A candidate's settings.
     *
     * @param memoryNode id of the memory node
     * @param address address of this candidate
     * @param candidates addresses of all candidates, this one among them
     * @param lease lease of a term
     */
    public record Settings(String memoryNode, String address, List<String> candidates, Duration lease) {
        /** Copies the list. */
        public Settings {
            candidates = List.copyOf(candidates);
        }

        List<String> others() {
            return candidates.stream().filter(other -> !other.equals(address)).toList();
        }
    }

    /** Serves, or stands by. Its methods may block. */
    public interface Host {
        /**
         * Begins to serve, with a new life of the memory node.
         *
         * @param term its right to do so
         * @param list where its members are written down
         */
        void serve(Term term, MemberList list);

        /** Ends serving, at once; called after each call of {@link #serve}, and when the candidacy begins. */
        void standBy();
    }

    /** The other candidates. */
    public interface Peers {
        /** There is none, so all of none promise. */
        Peers NONE = (others, term, nanos, told) -> told.run();

        /**
         * Asks every other candidate to promise not to take over.
         *
         * @param others their addresses
         * @param term the present term
         * @param nanos how long the promise is to last from its receipt
         * @param all runs once if all have promised, else never
         */
        void askToPromise(List<String> others, long term, long nanos, Runnable all);
    }

    /**
     * Makes a candidacy; {@link #start} begins it.
     *
     * @param executor runs the host's methods one after the other, in order
     */
    public Candidacy(
            Settings settings,
            Attempts engine,
            Peers peers,
            Host host,
            Clock clock,
            TimerService timer,
            Executor executor) {
        this.settings = settings;
        this.engine = engine;
        this.peers = peers;
        this.host = host;
        this.clock = clock;
        this.timer = timer;
        this.executor = executor;
    }

    /** Begins: stands by, and tries to be elected. */
    public void start() {
        lock.lock();
        try {
            // The process that had this address before may have given a promise.
            promisedUntil = clock.nanoTime()
                    + (settings.others().isEmpty() ? 0 : settings.lease().toNanos());
        } finally {
            lock.unlock();
        }
        engine.watch(this::attemptSoon);
        executor.execute(() -> {
            host.standBy();
            attemptSoon();
        });
    }

    /** Returns where it stands. */
    public Standing standing() {
        lock.lock();
        try {
            Mandate present = mandate;
            return new Standing(
                    role,
                    present == null ? highestTerm : present.number(),
                    serving,
                    problem,
                    promised,
                    Duration.ofNanos(present == null ? 0 : Math.max(0, present.leftNanos())),
                    elections,
                    depositions);
        } finally {
            lock.unlock();
        }
    }

    // ---------------------------------------------------------------- standing by

    private long attemptNanos() {
        return settings.lease().toNanos() / ATTEMPTS_PER_LEASE;
    }

    /** Plans the next attempt, in place of the one that is planned. */
    private void attemptAfter(long nanos) {
        long number;
        lock.lock();
        try {
            number = ++plan;
        } finally {
            lock.unlock();
        }
        timer.schedule(Math.max(1, nanos), () -> attempt(number));
    }

    private void attemptSoon() {
        attemptAfter(1);
    }

    private void attempt(long number) {
        long now = clock.nanoTime();
        long wait;
        lock.lock();
        try {
            if (closed || attempting || mandate != null || role == Role.SERVING || number != plan) {
                return;
            }
            wait = promisedUntil - now;
            attempting = wait <= 0;
        } finally {
            lock.unlock();
        }
        if (wait > 0) {
            look(wait);
            return;
        }
        engine.acquire(new Attempts.Ending<>() {
            @Override
            public void answered(Answer answer) {
                if (answer instanceof Elected elected) {
                    elected(elected, now);
                } else {
                    held((Held) answer);
                }
            }

            @Override
            public void failed(String why) {
                notElected("no election: " + why);
            }
        });
    }

    /** Asks who serves, while this candidate must not be elected itself. A candidate that learns it promises nothing any more. */
    private void look(long wait) {
        engine.look(new Attempts.Ending<>() {
            @Override
            public void answered(Optional<Held> answer) {
                answer.ifPresentOrElse(Candidacy.this::learn, Candidacy.this::reached);
                attemptAfter(Math.min(wait, attemptNanos()));
            }

            @Override
            public void failed(String why) {
                unreached("it is not known who serves: " + why);
                attemptAfter(Math.min(wait, attemptNanos()));
            }
        });
    }

    private void reached() {
        lock.lock();
        try {
            if (mandate == null) {
                problem = "";
            }
        } finally {
            lock.unlock();
        }
    }

    private void learn(Held held) {
        lock.lock();
        try {
            if (mandate == null) {
                problem = "";
                serving = held.candidate();
                highestTerm = Math.max(highestTerm, held.term());
                role = Role.STANDING_BY;
            }
        } finally {
            lock.unlock();
        }
    }

    private void held(Held held) {
        attempted();
        learn(held);
        attemptAfter(attemptNanos());
    }

    private void attempted() {
        lock.lock();
        try {
            attempting = false;
        } finally {
            lock.unlock();
        }
    }

    private void notElected(String why) {
        attempted();
        unreached(why);
        attemptAfter(attemptNanos());
    }

    private void unreached(String why) {
        boolean fresh;
        lock.lock();
        try {
            fresh = problem.isEmpty() && !closed;
            problem = why;
        } finally {
            lock.unlock();
        }
        if (fresh) {
            log.warn("Memory node {}: {}. Trying again.", settings.memoryNode(), why);
        }
    }

    private void elected(Elected elected, long sentAt) {
        EngineMemberList list = new EngineMemberList(
                engine, timer, attemptNanos(), elected.term(), elected.kept(), this::engineSaysOver);
        String refused = candidatesThatDiffer(list.candidates());
        Mandate fresh = null;
        lock.lock();
        try {
            attempting = false;
            highestTerm = Math.max(highestTerm, elected.term());
            boolean bound = promisedUntil - clock.nanoTime() > 0;
            if (!closed && refused == null && !bound) {
                fresh = new Mandate(clock, elected.term(), counted(sentAt), this::ranOut);
                mandate = fresh;
                role = Role.SERVING;
                serving = settings.address();
                problem = "";
                elections++;
            }
        } finally {
            lock.unlock();
        }
        if (fresh != null) {
            serve(fresh, list);
        } else {
            engine.resign(elected.term(), () -> {});
            if (refused != null) {
                notElected(refused);
            } else {
                attemptAfter(attemptNanos());
            }
        }
    }

    /**
     * Returns why this candidate must not take over, or null. A serving candidate relies on the promises of the candidates that it knows: so
     * only one of those may follow it, and tells the engine its own list from then on.
     */
    private @Nullable String candidatesThatDiffer(List<String> known) {
        if (known.isEmpty() || known.contains(settings.address())) {
            return null;
        }
        return "this candidate, " + settings.address() + ", is not among the candidates that " + engine.title()
                + " has for memory node '" + settings.memoryNode() + "': " + String.join(", ", known)
                + ". Start one of those with the new list of candidates first; if none of them will ever run again,"
                + " remove the entry 'candidates' of this memory node from the engine";
    }

    private long counted(long sentAt) {
        return sentAt + settings.lease().toNanos() * COUNTED_EIGHTHS / EIGHTHS;
    }

    private void serve(Mandate fresh, EngineMemberList list) {
        log.info(
                "Memory node {}: candidate {} was elected by {} and serves in term {}",
                settings.memoryNode(),
                settings.address(),
                engine.title(),
                fresh.number());
        list.keepCandidates(settings.candidates());
        watch(fresh);
        timer.schedule(attemptNanos(), () -> renew(fresh));
        executor.execute(() -> {
            // Its end may have come first: then nothing would end what begins now.
            if (!isPresent(fresh)) {
                return;
            }
            try {
                host.serve(fresh, list);
            } catch (RuntimeException | Error e) {
                log.error("Memory node {} cannot serve although it was elected", settings.memoryNode(), e);
                end(
                        fresh,
                        "it cannot serve: " + e.getMessage(),
                        settings.lease().toNanos());
            }
        });
    }

    // ---------------------------------------------------------------- serving

    /** Ends the mandate at its end even if nobody asks it. */
    private void watch(Mandate present) {
        if (present.lasts()) {
            timer.schedule(Math.max(1, present.leftNanos()), () -> watch(present));
        }
    }

    private boolean isPresent(Mandate asked) {
        lock.lock();
        try {
            return mandate == asked && !closed;
        } finally {
            lock.unlock();
        }
    }

    private void renew(Mandate present) {
        if (!isPresent(present)) {
            return;
        }
        long sentAt = clock.nanoTime();
        timer.schedule(attemptNanos(), () -> renew(present));
        engine.renew(present.number(), new Attempts.Ending<>() {
            @Override
            public void answered(Boolean lasts) {
                if (lasts) {
                    present.extend(counted(sentAt));
                    renewed();
                } else {
                    end(present, engine.title() + " has ended the term", 1);
                }
            }

            @Override
            public void failed(String why) {
                notRenewed(present, why);
            }
        });
    }

    private void renewed() {
        boolean again;
        lock.lock();
        try {
            again = !problem.isEmpty();
            problem = "";
            promised = false;
        } finally {
            lock.unlock();
        }
        if (again) {
            log.info("Memory node {}: {} answers again", settings.memoryNode(), engine.title());
        }
    }

    private void notRenewed(Mandate present, String why) {
        boolean fresh;
        lock.lock();
        try {
            fresh = problem.isEmpty();
            problem = "the term was not renewed: " + why;
        } finally {
            lock.unlock();
        }
        if (fresh) {
            log.warn(
                    "Memory node {}: term {} was not renewed: {}. This candidate goes on while every other one promises"
                            + " not to take over; no process can join meanwhile.",
                    settings.memoryNode(),
                    present.number(),
                    why);
        }
        askForPromises(present);
    }

    private void askForPromises(Mandate present) {
        long askedAt = clock.nanoTime();
        Runnable all = () -> {
            present.extend(counted(askedAt));
            lock.lock();
            try {
                promised = !problem.isEmpty();
            } finally {
                lock.unlock();
            }
        };
        List<String> others = settings.others();
        if (others.isEmpty()) {
            all.run();
        } else {
            peers.askToPromise(others, present.number(), settings.lease().toNanos(), all);
        }
    }

    private void engineSaysOver(long term) {
        Mandate present;
        lock.lock();
        try {
            present = mandate;
        } finally {
            lock.unlock();
        }
        if (present != null && present.number() == term) {
            end(present, engine.title() + " has ended the term", 1);
        }
    }

    private void ranOut() {
        Mandate present;
        lock.lock();
        try {
            present = mandate;
        } finally {
            lock.unlock();
        }
        if (present != null) {
            over(
                    present,
                    "its lease at " + engine.title() + " ran out without a renewal, or a promise of every other"
                            + " candidate",
                    1);
        }
    }

    /** @param pauseNanos time until this candidate tries again to be elected */
    private void end(Mandate ending, String why, long pauseNanos) {
        if (ending.end()) {
            over(ending, why, pauseNanos);
        }
    }

    /** The mandate is over: the host stands by, and then the candidacy begins anew. */
    private void over(Mandate ended, String why, long pauseNanos) {
        boolean leaves;
        lock.lock();
        try {
            if (mandate != ended) {
                return;
            }
            mandate = null;
            promised = false;
            leaves = closed;
            role = Role.DEPOSED;
            problem = why;
            serving = "";
            depositions += leaves ? 0 : 1;
        } finally {
            lock.unlock();
        }
        if (!leaves) {
            log.warn(
                    "Memory node {}: candidate {} is deposed in term {}: {}",
                    settings.memoryNode(),
                    settings.address(),
                    ended.number(),
                    why);
        }
        executor.execute(() -> {
            host.standBy();
            engine.resign(ended.number(), () -> attemptAfter(pauseNanos));
        });
    }

    // ---------------------------------------------------------------- promises

    /**
     * Promises the serving candidate not to take over for a time, if this candidate cannot reach the engine either.
     *
     * @param term the serving candidate's term
     * @param nanos how long, at most the lease of a term
     * @return whether it promises
     */
    public boolean promise(long term, long nanos) {
        lock.lock();
        try {
            boolean blind = !problem.isEmpty();
            if (closed || mandate != null || role == Role.SERVING || !blind || term < highestTerm) {
                return false;
            }
            long until = clock.nanoTime() + Math.min(nanos, settings.lease().toNanos());
            if (until - promisedUntil > 0) {
                promisedUntil = until;
            }
            highestTerm = term;
            return true;
        } finally {
            lock.unlock();
        }
    }

    // ---------------------------------------------------------------- the end

    /** Stops to serve and resigns, so that another candidate is elected at once. The executor does that before it is shut down. */
    @Override
    public void close() {
        Mandate present;
        lock.lock();
        try {
            closed = true;
            present = mandate;
        } finally {
            lock.unlock();
        }
        if (present != null) {
            end(present, "it shuts down", 1);
        } else {
            executor.execute(host::standBy);
        }
    }
}
