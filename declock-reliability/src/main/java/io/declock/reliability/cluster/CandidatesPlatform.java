// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import io.declock.testkit.Ports;
import io.declock.testkit.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Processes on the loopback interface, with a memory node of two candidates. For one thread. */
public final class CandidatesPlatform implements Platform {
    /** How many candidates the memory node has. */
    public static final int CANDIDATES = 2;

    /** Lease of a term. */
    public static final Duration TERM = Duration.ofSeconds(3);

    private static final Patience PATIENCE = new Patience(Duration.ofSeconds(90));
    private static final Pattern ELECTED = Pattern.compile("was elected by .* and serves in term (\\d+)");

    private static final Pattern DEPOSED = Pattern.compile("is deposed in (term .*)");

    private final LocalMachine machine;
    private final EngineArguments engine;
    private final List<Integer> ports = Ports.free(CANDIDATES);
    private final List<TcpProxy> services = new ArrayList<>();
    private final List<Program> candidates = new ArrayList<>();
    private int starts;

    /** Says how a candidate reaches the engine. */
    public interface EngineArguments {
        /** Returns the arguments of a candidate's program that begin with {@code --declock.memory-node.election.}. */
        List<String> of(int candidate);
    }

    /** Makes one that runs only the workers' database. */
    public CandidatesPlatform(Duration lease, EngineArguments engine) {
        this.machine = new LocalMachine("declock-stand-by-", lease);
        this.engine = engine;
        ports.forEach(port -> services.add(new TcpProxy(port)));
    }

    @Override
    public Site site() {
        return machine.site();
    }

    /** Starts both candidates, and waits until one serves. Returns both as one program, which can only be closed. */
    @Override
    public Program startMemoryNode(int life, boolean hadEarlierLife) {
        for (int i = 0; i < ports.size(); i++) {
            candidates.add(launchCandidate(i));
        }
        awaitServing(0);
        return new AllPrograms(candidates);
    }

    private Program launchCandidate(int index) {
        String name = "candidate-" + index + "-" + ++starts;
        List<String> command = MemoryNodeCommand.of("mn", ports.get(index), site().lease());
        command.addAll(List.of(
                "--declock.memory-node.wait-out-old-sessions=false",
                "--declock.memory-node.election.lease=" + TERM.toMillis() + "ms",
                "--declock.memory-node.election.address=" + address(index),
                "--declock.memory-node.election.candidates=" + address(0) + "," + address(1)));
        command.addAll(engine.of(index));
        return machine.start(name, command);
    }

    private String address(int index) {
        return "tcp://127.0.0.1:" + ports.get(index);
    }

    /** Returns the last term that a candidate's program has begun, 0 for none. */
    private static long termOf(Program candidate) {
        long last = 0;
        Matcher matcher = ELECTED.matcher(candidate.log());
        while (matcher.find()) {
            last = Math.max(last, Long.parseLong(matcher.group(1)));
        }
        return last;
    }

    /** Returns the highest term that a program has begun. */
    public long term() {
        return candidates.stream().mapToLong(CandidatesPlatform::termOf).max().orElse(0);
    }

    /** Waits until a term after that one has begun; returns which candidate began it. */
    public int awaitServing(long after) {
        PATIENCE.until(
                () -> term() > after,
                () -> "no candidate was elected after term " + after + ":\n"
                        + candidates.get(0).log() + candidates.get(1).log());
        return serving();
    }

    /** Returns which candidate has begun the last term. */
    public int serving() {
        return termOf(candidates.get(0)) > termOf(candidates.get(1)) ? 0 : 1;
    }

    /** Returns the program of a candidate. */
    public Program candidate(int index) {
        return candidates.get(index);
    }

    /** Returns what the workers' connections to a candidate go through. */
    public TcpProxy services(int index) {
        return services.get(index);
    }

    /** Returns how often a candidate's program has been deposed. */
    public long depositions(int index) {
        return endedTerms(candidates.get(index)).count();
    }

    /** Returns the terms that programs which run have lost, and why, in their own words. */
    public List<String> endedTerms() {
        return candidates.stream().flatMap(CandidatesPlatform::endedTerms).toList();
    }

    private static Stream<String> endedTerms(Program candidate) {
        return DEPOSED.matcher(candidate.log()).results().map(found -> found.group(1));
    }

    /** Starts the program of a candidate again, and waits until it can be elected. */
    public void startCandidate(int index) {
        candidates.get(index).close();
        Program program = launchCandidate(index);
        candidates.set(index, program);
        PATIENCE.until(
                () -> program.log().contains("stands for election"),
                () -> !program.isAlive(),
                () -> "the candidate did not start:\n" + program.log());
        // It may have promised not to be elected before it was started.
        Cluster.pause(TERM);
    }

    @Override
    public Node launch(String name) {
        return new PlainNode(machine.startWorker(
                name,
                "tcp://127.0.0.1:" + services.get(0).port() + "|127.0.0.1:"
                        + services.get(1).port()));
    }

    @Override
    public void close() {
        services.forEach(TcpProxy::close);
        machine.close();
    }
}
