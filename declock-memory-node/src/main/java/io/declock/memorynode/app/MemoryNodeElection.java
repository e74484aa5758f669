// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import io.declock.MemoryNodeAddress;
import io.declock.internal.election.Candidacy;
import io.declock.internal.election.EngineThreads;
import io.declock.internal.election.Standing;
import io.declock.internal.tcp.server.CandidateServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.internal.tcp.server.StandbyServer;
import io.declock.internal.tcp.server.TcpCandidates;
import io.declock.internal.time.TimerService;
import io.declock.spi.election.ElectionEngine;
import io.declock.spi.election.ElectionEngineProvider;
import io.declock.spi.election.InvalidElectionSettingException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The candidacy of this program, if the memory node has stand-bys. Thread-safe. */
final class MemoryNodeElection implements StandbyServer.Says {
    private static final Logger log = LoggerFactory.getLogger(MemoryNodeElection.class);
    private static final String PREFIX = "declock.memory-node.election.";
    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(2);
    /** How long services take to find the next candidate and to move to it, with time to spare. */
    private static final Duration MOVING = Duration.ofSeconds(2);

    private static final int ATTEMPTS_PER_LEASE = 4;
    private static final int CLOSE_SECONDS = 10;

    private final EngineThreads attempts;
    private final TcpCandidates others;
    private final ExecutorService thread;
    private final CandidateServer server;
    private final Candidacy candidacy;

    private MemoryNodeElection(
            String id,
            MemoryNodeProperties.Election properties,
            ElectionEngine engine,
            MemoryNodeServerSettings settings,
            CandidateServer.Lives lives,
            TimerService timer) {
        List<MemoryNodeAddress> candidates = candidates(properties);
        String address = own(properties, candidates).toString();
        this.attempts = new EngineThreads(engine, id, address, properties.lease());
        this.others = new TcpCandidates(settings);
        this.thread = Executors.newSingleThreadExecutor(task -> {
            Thread made = new Thread(task, "declock-candidate");
            made.setDaemon(true);
            return made;
        });
        this.server = new CandidateServer(id, settings, lives, this, System::nanoTime, timer);
        this.candidacy = new Candidacy(
                new Candidacy.Settings(
                        id,
                        address,
                        candidates.stream().map(MemoryNodeAddress::toString).toList(),
                        properties.lease()),
                attempts,
                (asked, term, nanos, all) -> others.askToPromise(
                        id, asked.stream().map(MemoryNodeAddress::parse).toList(), term, nanos, all),
                server,
                System::nanoTime,
                timer,
                thread);
    }

    /** Prepares the candidacy, or returns null if the memory node has no stand-by. */
    static @Nullable MemoryNodeElection of(
            MemoryNodeProperties properties,
            String id,
            MemoryNodeServerSettings settings,
            CandidateServer.Lives lives,
            TimerService timer) {
        MemoryNodeProperties.Election election = properties.election();
        if (!election.isSet()) {
            return null;
        }
        if (properties.stateDirectory() != null) {
            throw new MemoryNodeStartException(
                    "declock.memory-node.state-directory and " + PREFIX + "engine are both set. The list of the members"
                            + " is in one place: the engine keeps it for every candidate.",
                    "Remove declock.memory-node.state-directory.");
        }
        if (election.lease().compareTo(SHORTEST_LEASE) < 0) {
            throw new MemoryNodeStartException(
                    PREFIX + "lease is " + election.lease().toMillis() + " ms, which is shorter than "
                            + SHORTEST_LEASE.toMillis() + " ms.",
                    "Set it to at least 2 s; the default is 3 s.");
        }
        if (failOver(election).compareTo(properties.maxLease()) > 0) {
            throw new MemoryNodeStartException(
                    PREFIX + "lease is " + election.lease().toMillis() + " ms. A fail-over takes up to "
                            + failOver(election).toMillis() + " ms then, but declock.memory-node.max-lease is "
                            + properties.maxLease().toMillis() + " ms: no service could keep its holds.",
                    "Lower " + PREFIX + "lease, or raise declock.memory-node.max-lease and former-lease.");
        }
        // Before the engine is opened: these name what is wrong.
        own(election, candidates(election));
        return new MemoryNodeElection(id, election, open(election), settings, lives, timer);
    }

    /** Returns how long it may take until a service has moved to the next candidate, zero without stand-bys. */
    static Duration failOver(MemoryNodeProperties.Election election) {
        return election.isSet() ? election.lease().plus(MOVING) : Duration.ZERO;
    }

    private static List<MemoryNodeAddress> candidates(MemoryNodeProperties.Election properties) {
        List<MemoryNodeAddress> candidates = new ArrayList<>();
        for (String text : properties.candidates()) {
            MemoryNodeAddress parsed = address("candidates", text);
            if (candidates.contains(parsed)) {
                throw new MemoryNodeStartException(
                        PREFIX + "candidates names " + parsed + " twice.", "Name each candidate once.");
            }
            candidates.add(parsed);
        }
        return candidates;
    }

    private static MemoryNodeAddress own(MemoryNodeProperties.Election properties, List<MemoryNodeAddress> candidates) {
        String text = properties.address();
        if (text == null || text.isBlank()) {
            throw new MemoryNodeStartException(
                    PREFIX + "engine is set and " + PREFIX + "address is not.",
                    "Set it to the address by which services and the other candidates reach this one, such as"
                            + " tcp://a1:7420.");
        }
        MemoryNodeAddress own = address("address", text);
        if (!candidates.contains(own)) {
            throw new MemoryNodeStartException(
                    PREFIX + "address is " + own + ", which is not among " + PREFIX + "candidates: " + candidates + ".",
                    "List the address of every candidate, this one's included, with the same list in each of them.");
        }
        return own;
    }

    private static MemoryNodeAddress address(String property, String text) {
        MemoryNodeAddress parsed;
        try {
            parsed = MemoryNodeAddress.parse(text);
        } catch (IllegalArgumentException e) {
            throw new MemoryNodeStartException(
                    PREFIX + property + " is no address: " + e.getMessage() + ".", "Write it as tcp://a1:7420.", e);
        }
        if (!parsed.others().isEmpty() || !parsed.scheme().equals("tcp")) {
            throw new MemoryNodeStartException(
                    PREFIX + property + " has '" + text + "', which is not the address of one candidate.",
                    "Write one address as tcp://a1:7420, and several with commas between them.");
        }
        return parsed;
    }

    private static ElectionEngine open(MemoryNodeProperties.Election properties) {
        String kind = String.valueOf(properties.engine());
        List<String> known = new ArrayList<>();
        for (ElectionEngineProvider provider : ServiceLoader.load(ElectionEngineProvider.class)) {
            known.add(provider.kind());
            if (provider.kind().equals(kind)) {
                return open(provider, properties);
            }
        }
        throw new MemoryNodeStartException(
                PREFIX + "engine is '" + kind + "', which is not known here.",
                "Set it to one of: " + String.join(", ", known) + "; another one needs the module declock-election-"
                        + kind + " on the class path.");
    }

    private static ElectionEngine open(ElectionEngineProvider provider, MemoryNodeProperties.Election properties) {
        try {
            return provider.open(
                    properties.settingsOf(provider.kind()), properties.lease().dividedBy(ATTEMPTS_PER_LEASE));
        } catch (InvalidElectionSettingException e) {
            throw new MemoryNodeStartException(PREFIX + provider.kind() + "." + e.getMessage() + ".", e.action(), e);
        }
    }

    /**
     * Begins to listen and to stand for election.
     *
     * @throws java.io.UncheckedIOException if the address cannot be bound
     */
    void start() {
        server.standBy();
        candidacy.start();
    }

    int port() {
        return server.port();
    }

    Standing standing() {
        return candidacy.standing();
    }

    String engine() {
        return attempts.title();
    }

    @Override
    public String serving() {
        Standing standing = candidacy.standing();
        return standing.serving().isEmpty()
                ? "it does not know that any candidate serves"
                        + (standing.problem().isEmpty() ? "" : ": " + standing.problem())
                : standing.serving() + " serves in term " + standing.term();
    }

    @Override
    public boolean promises(long term, long nanos) {
        return candidacy.promise(term, nanos);
    }

    /** Stops to serve, resigns, and stops to listen. */
    void stop() {
        candidacy.close();
        try {
            thread.submit(server::close).get(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            log.warn("The candidate did not end as it should", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        attempts.close();
        others.close();
        thread.shutdownNow();
    }
}
