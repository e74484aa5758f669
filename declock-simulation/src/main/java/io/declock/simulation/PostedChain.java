// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.Verb;
import io.declock.internal.chains.ExecutedChains;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;

/** A numbered chain in flight at the memory node, executed verb by verb and, depending on the seed, in parts of a verb. */
final class PostedChain implements VerbResults {
    private final SimulatedWorld world;
    private final SimulationOptions.Network network;
    private final int sequence;
    private final int oldest;
    private final VerbChain chain;
    private final long[][] results;
    private boolean begun;
    private int verb;
    private int done;
    private boolean torn;
    private boolean admitted;
    private boolean backwards;

    PostedChain(SimulatedWorld world, SimulationOptions.Network network, int sequence, int oldest, VerbChain chain) {
        this.world = world;
        this.network = network;
        this.sequence = sequence;
        this.oldest = oldest;
        this.chain = SentChain.of(chain);
        this.results = new long[chain.size()][];
    }

    int sequence() {
        return sequence;
    }

    /** The memory node begins with it, if it has not begun yet: it must be the next one by number (rule G2). */
    void begin(ExecutedChains executed) {
        int due = executed.next();
        if (!begun && !executed.begin(sequence, oldest)) {
            throw new Violation(
                    "chains", "chain " + sequence + ", oldest " + oldest + ", arrives where chain " + due + " is due");
        }
        begun = true;
    }

    /** The memory node remembers what its verbs found. */
    void remember(ExecutedChains executed) {
        for (int i = 0; i < chain.size(); i++) {
            if (chain.verb(i) != Verb.WRITE) {
                for (long word : results[i]) {
                    executed.found(word);
                }
            }
        }
    }

    /** Takes the results that the memory node remembered. */
    PostedChain recall(long[] words) {
        if (words.length != SentChain.found(chain)) {
            throw new Violation("chains", words.length + " words are remembered of chain " + sequence + ", " + chain);
        }
        int next = 0;
        for (int i = 0; i < chain.size(); i++) {
            results[i] = new long[chain.words(i)];
            if (chain.verb(i) != Verb.WRITE) {
                System.arraycopy(words, next, results[i], 0, results[i].length);
                next += results[i].length;
            }
        }
        return this;
    }

    VerbChain chain() {
        return chain;
    }

    boolean isExecuted() {
        return verb == chain.size();
    }

    @Override
    public long word(int ofVerb, int word) {
        return results[ofVerb][word];
    }

    /** Executes verbs until the next break. Returns the length of that break, 0 for none. */
    long execute(SimulatedSession session, WatchedRegion memory, SimulatedNic nic) {
        if (!admitted) {
            admitted = true;
            long wait = nic.execution(chain, verb, world.now()) - world.now();
            if (wait > 0) {
                return wait;
            }
        }
        int words = chain.words(verb);
        if (done == 0) {
            results[verb] = new long[words];
            torn = words > 1 && world.chance(network.tearChance());
            backwards = torn && world.chance(0.3);
        }
        int until = torn ? done + 1 + (int) world.below(words - done) : words;
        for (int i = done; i < until; i++) {
            executeWord(session, memory, backwards ? words - 1 - i : i);
        }
        done = until;
        if (done < words) {
            return 1 + world.exponential(network.gap());
        }
        done = 0;
        admitted = false;
        verb++;
        return isExecuted() || !world.chance(network.gapChance()) ? 0 : 1 + world.exponential(network.gap());
    }

    private void executeWord(SimulatedSession session, WatchedRegion memory, int word) {
        long address = chain.address(verb) + (long) word * Long.BYTES;
        Verb kind = chain.verb(verb);
        long operand = kind == Verb.WRITE ? chain.writeWord(verb, word) : chain.operand(verb);
        results[verb][word] = memory.execute(session, chain.purpose(), kind, address, operand, chain.desired(verb));
        world.trace().mix(address ^ results[verb][word]);
    }
}
