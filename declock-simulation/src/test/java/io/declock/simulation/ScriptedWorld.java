// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.Verb;
import io.declock.protocols.LockMessage;
import io.declock.protocols.LockWorld;
import io.declock.spi.ExtendedAtomics;
import io.declock.spi.VerbChain;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;

/** A world in which a test says when verbs are executed and time passes. */
final class ScriptedWorld implements LockWorld {
    private final long[] memory;
    private final long serverAddress;
    private final Deque<VerbChain> posted = new ArrayDeque<>();
    private final List<LockMessage> sent = new ArrayList<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>(Comparator.comparingLong(Timer::due));
    private long now;

    private record Timer(long due, Runnable event) {}

    /**
     * Makes one.
     *
     * @param words how many words the memory has
     * @param serverAddress where those of the server begin
     */
    ScriptedWorld(int words, long serverAddress) {
        this.memory = new long[words];
        this.serverAddress = serverAddress;
    }

    /** Returns the memory itself. */
    long[] memory() {
        return memory;
    }

    /** Returns the chains that were posted and not executed. */
    Deque<VerbChain> posted() {
        return posted;
    }

    /** Returns what was sent, until the test removes it. */
    List<LockMessage> sent() {
        return sent;
    }

    @Override
    public void post(VerbChain chain) {
        posted.add(chain);
    }

    /** Executes and answers what was posted first. */
    VerbChain execute() {
        VerbChain chain = posted.remove();
        long[][] found = new long[chain.size()][];
        for (int i = 0; i < found.length; i++) {
            found[i] = execute(chain, i);
        }
        chain.completed((verb, word) -> found[verb][word]);
        return chain;
    }

    private long[] execute(VerbChain chain, int i) {
        int word = (int) chain.address(i) / Long.BYTES;
        Verb verb = chain.verb(i);
        long[] found = new long[chain.words(i)];
        System.arraycopy(memory, word, found, 0, found.length);
        switch (verb) {
            case READ -> {}
            case WRITE -> memory[word] = chain.writeWord(i, 0);
            case FETCH_AND_ADD -> memory[word] += chain.operand(i);
            case COMPARE_AND_SWAP -> memory[word] = found[0] == chain.operand(i) ? chain.desired(i) : found[0];
            case MASKED_COMPARE_AND_SWAP, MASKED_FETCH_AND_ADD -> {
                if (ExtendedAtomics.matches(verb, w -> chain.writeWord(i, w), found[0], found[1])) {
                    memory[word] = ExtendedAtomics.changed(verb, w -> chain.writeWord(i, w), 0, found[0]);
                    memory[word + 1] = ExtendedAtomics.changed(verb, w -> chain.writeWord(i, w), 1, found[1]);
                }
            }
        }
        return found;
    }

    @Override
    public long serverAddress() {
        return serverAddress;
    }

    @Override
    public void send(LockMessage message) {
        sent.add(message);
    }

    @Override
    public long now() {
        return now;
    }

    /** Lets time pass, with everything that is due. */
    void pass(long nanos) {
        long end = now + nanos;
        while (!timers.isEmpty() && timers.element().due() <= end) {
            now = timers.element().due();
            timers.remove().event().run();
        }
        now = end;
    }

    @Override
    public void after(long nanos, Runnable event) {
        timers.add(new Timer(now + nanos, event));
    }

    @Override
    public long below(long bound) {
        return 0;
    }
}
