// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.Verb;
import io.declock.spi.FabricException;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.util.stream.IntStream;

/** The verbs of a chain as they were sent: the compute node may use the chain again once it was answered on another connection. */
final class SentChain extends VerbChain {
    private SentChain(int verbs) {
        super(verbs);
    }

    static SentChain of(VerbChain chain) {
        SentChain copy = new SentChain(chain.size());
        copy.begin(chain.purpose());
        for (int i = 0; i < chain.size(); i++) {
            copy.append(chain, i);
        }
        return copy;
    }

    private void append(VerbChain chain, int i) {
        long address = chain.address(i);
        switch (chain.verb(i)) {
            case FETCH_AND_ADD -> fetchAndAdd(address, chain.operand(i));
            case COMPARE_AND_SWAP -> compareAndSwap(address, chain.operand(i), chain.desired(i));
            case READ -> read(address, chain.words(i));
            case WRITE -> appendWrite(chain, i);
            case MASKED_COMPARE_AND_SWAP, MASKED_FETCH_AND_ADD ->
                throw new Violation("verbs", chain + " has a verb that the lock does not use");
        }
    }

    private void appendWrite(VerbChain chain, int i) {
        int words = chain.words(i);
        if (words == 1) {
            write(chain.address(i), chain.writeWord(i, 0));
        } else {
            write(
                    chain.address(i),
                    IntStream.range(0, words)
                            .mapToLong(w -> chain.writeWord(i, w))
                            .toArray());
        }
    }

    /** Returns the number of words that the verbs of a chain find. */
    static int found(VerbChain chain) {
        return IntStream.range(0, chain.size())
                .filter(i -> chain.verb(i) != Verb.WRITE)
                .map(chain::words)
                .sum();
    }

    @Override
    public void completed(VerbResults results) {
        throw new IllegalStateException("only the compute node's own chain is completed");
    }

    @Override
    public void failed(FabricException cause) {
        throw new IllegalStateException("only the compute node's own chain fails", cause);
    }
}
