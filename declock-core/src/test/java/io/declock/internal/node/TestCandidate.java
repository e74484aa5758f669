// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.declock.MemoryNodeAddress;
import io.declock.internal.election.Candidacy;
import io.declock.internal.election.EngineThreads;
import io.declock.internal.election.Standing;
import io.declock.internal.election.Standing.Role;
import io.declock.internal.memorynode.MemberList;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.memorynode.RdmaAccess;
import io.declock.internal.memorynode.RegionMemory;
import io.declock.internal.memorynode.Term;
import io.declock.internal.tcp.server.CandidateServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.internal.tcp.server.StandbyServer;
import io.declock.internal.tcp.server.TcpCandidates;
import io.declock.spi.election.MemoryEngine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** A candidate of memory node "mn", as its process would run it, elected by an engine in the memory of this process. */
public final class TestCandidate implements CandidateServer.Lives, StandbyServer.Says {
    private final MemoryEngine engine;
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final Times times;
    private final ScheduledExecutorService timer;
    private final Access access;
    private final EngineThreads attempts;
    private final TcpCandidates others;
    private final CandidateServer server;
    private final Candidacy candidacy;
    private volatile boolean stopped;

    /**
     * Times of a memory node with candidates.
     *
     * @param lease of compute nodes
     * @param margin of the lease
     * @param term of the candidate that serves
     */
    public record Times(Duration lease, Duration margin, Duration term) {}

    /** Access to the memory of each life besides TCP. */
    public interface Access {
        /** No other access. */
        Access NONE = new Access() {
            @Override
            public @Nullable RegionMemory nextMemory() {
                return null;
            }

            @Override
            public @Nullable RdmaAccess serve(MemoryNode life) {
                return null;
            }
        };

        /** Returns memory for the next life, null for memory of this process that only its processor accesses. */
        @Nullable
        RegionMemory nextMemory();

        /** Gives access to a life that was made with that memory. */
        @Nullable
        RdmaAccess serve(MemoryNode life) throws IOException;
    }

    /** Starts a candidate that stands for election at an address of this machine. */
    public TestCandidate(
            MemoryEngine.Shared shared,
            String address,
            List<String> all,
            Times times,
            ScheduledExecutorService timer,
            Access access) {
        this.engine = new MemoryEngine(shared);
        this.times = times;
        this.timer = timer;
        this.access = access;
        MemoryNodeAddress own = MemoryNodeAddress.parse(address);
        MemoryNodeServerSettings settings = MemoryNodeServerSettings.builder()
                .host(own.host())
                .port(own.port())
                .build();
        attempts = new EngineThreads(engine, "mn", address, times.term());
        others = new TcpCandidates(settings);
        server = new CandidateServer("mn", settings, this, this, System::nanoTime, this::schedule);
        candidacy = new Candidacy(
                new Candidacy.Settings("mn", address, all, times.term()),
                attempts,
                (asked, term, nanos, every) -> others.askToPromise(
                        "mn", asked.stream().map(MemoryNodeAddress::parse).toList(), term, nanos, every),
                server,
                System::nanoTime,
                this::schedule,
                thread);
        candidacy.start();
    }

    /** Runs a task later, unless the candidate has ended by then. */
    void schedule(long delay, Runnable task) {
        timer.schedule(
                () -> {
                    if (!stopped) {
                        task.run();
                    }
                },
                delay,
                NANOSECONDS);
    }

    @Override
    public CandidateServer.Life begin(Term term, MemberList list) {
        MemoryNode life = MemoryNode.create(
                MemoryNodeSettings.builder("mn")
                        .records(1_000)
                        .queueCapacity(8)
                        .maxLease(times.lease())
                        .leaseMargin(times.margin())
                        .formerLease(times.lease())
                        .waitOutOldSessions(false)
                        .build(),
                System::nanoTime,
                this::schedule,
                () -> ThreadLocalRandom.current().nextLong(),
                access.nextMemory(),
                list,
                term);
        try {
            return new CandidateServer.Life(life, access.serve(life));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void ended() {}

    @Override
    public String serving() {
        return "serving is '" + candidacy.standing().serving() + "'";
    }

    @Override
    public boolean promises(long term, long nanos) {
        return candidacy.promise(term, nanos);
    }

    /** Returns where it stands. */
    public Standing standing() {
        return candidacy.standing();
    }

    /** Returns whether it serves. */
    public boolean serves() {
        return standing().role() == Role.SERVING;
    }

    /** Returns its engine, which can be out of its reach. */
    MemoryEngine engine() {
        return engine;
    }

    /** Returns whether it was neither killed nor told to end. */
    public boolean isRunning() {
        return !stopped;
    }

    /** Its process dies. */
    public void kill() throws Exception {
        stopped = true;
        engine.reachable(false);
        thread.submit(server::close).get();
        close();
    }

    /** Its process is told to end. */
    void end() throws Exception {
        candidacy.close();
        thread.submit(server::close).get();
        close();
    }

    private void close() {
        stopped = true;
        thread.shutdown();
        attempts.close();
        others.close();
    }
}
