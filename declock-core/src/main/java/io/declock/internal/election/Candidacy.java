// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.election;

import io.declock.internal.election.CandidateState.End;
import io.declock.internal.memorynode.MemberList;
import io.declock.internal.memorynode.Term;
import io.declock.internal.time.Clock;
import io.declock.internal.time.TimerService;
import io.declock.spi.election.ElectionEngine.Elected;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
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
    private static final Logger log = LoggerFactory.getLogger(Candidacy.class);

    private final Settings settings;
    private final Peers peers;
    private final Host host;
    private final Executor executor;
    private final CandidateBasics basics;
    private final CandidateState state;
    private final Campaign campaign;

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
        this.peers = peers;
        this.host = host;
        this.executor = executor;
        this.basics = new CandidateBasics(
                settings.memoryNode(), settings.address(), settings.lease().toNanos(), engine, clock, timer);
        this.state = new CandidateState(basics);
        this.campaign = new Campaign(basics, state, this::elected);
    }

    /** Begins: stands by, and tries to be elected. */
    public void start() {
        state.start(settings.others().isEmpty());
        basics.engine().watch(campaign::attemptSoon);
        executor.execute(() -> {
            host.standBy();
            campaign.attemptSoon();
        });
    }

    /** Returns where it stands. */
    public Standing standing() {
        return state.standing();
    }

    /**
     * Promises the serving candidate not to take over for a time, if this candidate cannot reach the engine either.
     *
     * @param term the serving candidate's term
     * @param nanos how long, at most the lease of a term
     * @return whether it promises
     */
    public boolean promise(long term, long nanos) {
        return state.promise(term, nanos);
    }

    // ---------------------------------------------------------------- the beginning of a term

    private void elected(Elected elected, long sentAt) {
        EngineMemberList list = new EngineMemberList(
                basics.engine(),
                basics.timer(),
                basics.attemptNanos(),
                elected.term(),
                elected.kept(),
                this::engineSaysOver);
        String refused = candidatesThatDiffer(list.candidates());
        Mandate fresh = new Mandate(basics.clock(), elected.term(), basics.counted(sentAt), this::ranOut);
        if (state.elected(fresh, refused == null)) {
            serve(fresh, list);
            return;
        }
        basics.engine().resign(elected.term(), () -> {});
        if (refused != null) {
            campaign.notElected(refused);
        } else {
            campaign.attemptAfter(basics.attemptNanos());
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
        return "this candidate, " + settings.address() + ", is not among the candidates that "
                + basics.engine().title() + " has for memory node '" + settings.memoryNode() + "': "
                + String.join(", ", known)
                + ". Start one of those with the new list of candidates first; if none of them will ever run again,"
                + " remove the entry 'candidates' of this memory node from the engine";
    }

    private void serve(Mandate fresh, EngineMemberList list) {
        log.info(
                "Memory node {}: candidate {} was elected by {} and serves in term {}",
                settings.memoryNode(),
                settings.address(),
                basics.engine().title(),
                fresh.number());
        list.keepCandidates(settings.candidates());
        new TermKeeper(basics, state, fresh, this::askToPromise, why -> end(fresh, why, 1)).begin();
        executor.execute(() -> {
            // Its end may have come first: then nothing would end what begins now.
            if (!state.isPresent(fresh)) {
                return;
            }
            try {
                host.serve(fresh, list);
            } catch (RuntimeException | Error e) {
                log.error("Memory node {} cannot serve although it was elected", settings.memoryNode(), e);
                end(fresh, "it cannot serve: " + e.getMessage(), basics.leaseNanos());
            }
        });
    }

    private void askToPromise(long term, Runnable all) {
        List<String> others = settings.others();
        if (others.isEmpty()) {
            all.run();
        } else {
            peers.askToPromise(others, term, basics.leaseNanos(), all);
        }
    }

    // ---------------------------------------------------------------- the end of a term

    private void engineSaysOver(long term) {
        Mandate present = state.mandate();
        if (present != null && present.number() == term) {
            end(present, basics.engine().title() + " has ended the term", 1);
        }
    }

    private void ranOut() {
        Mandate present = state.mandate();
        if (present != null) {
            over(
                    present,
                    "its lease at " + basics.engine().title()
                            + " ran out without a renewal, or a promise of every other candidate",
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
        End end = state.over(ended, why);
        if (end == End.NONE) {
            return;
        }
        if (end == End.DEPOSED) {
            log.warn(
                    "Memory node {}: candidate {} is deposed in term {}: {}",
                    settings.memoryNode(),
                    settings.address(),
                    ended.number(),
                    why);
        }
        executor.execute(() -> {
            host.standBy();
            basics.engine().resign(ended.number(), () -> campaign.attemptAfter(pauseNanos));
        });
    }

    /** Stops to serve and resigns, so that another candidate is elected at once. The executor does that before it is shut down. */
    @Override
    public void close() {
        Mandate present = state.close();
        if (present != null) {
            end(present, "it shuts down", 1);
        } else {
            executor.execute(host::standBy);
        }
    }
}
