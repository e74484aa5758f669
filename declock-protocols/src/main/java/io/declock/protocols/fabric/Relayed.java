// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import io.declock.Verb;
import io.declock.spi.ExtendedAtomics;
import io.declock.spi.FabricException;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.util.function.Consumer;

/** A client's chain on its way: its results are copied, and the client is told of them in its turn. */
final class Relayed extends VerbChain {
    private final VerbChain chain;
    private final Turns turns;
    private final Consumer<FabricException> failed;

    Relayed(VerbChain chain, Turns turns, Consumer<FabricException> failed) {
        super(chain.size());
        this.chain = chain;
        this.turns = turns;
        this.failed = failed;
        begin(chain.purpose());
        for (int i = 0; i < chain.size(); i++) {
            copy(i);
        }
    }

    private void copy(int i) {
        long address = chain.address(i);
        switch (chain.verb(i)) {
            case FETCH_AND_ADD -> fetchAndAdd(address, chain.operand(i));
            case COMPARE_AND_SWAP -> compareAndSwap(address, chain.operand(i), chain.desired(i));
            case READ -> read(address, chain.words(i));
            case WRITE -> {
                if (chain.words(i) == 1) {
                    write(address, chain.writeWord(i, 0));
                } else {
                    write(address, operands(i, chain.words(i)));
                }
            }
            case MASKED_COMPARE_AND_SWAP ->
                maskedCompareAndSwap(address, operands(i, ExtendedAtomics.COMPARE_AND_SWAP_OPERANDS));
            case MASKED_FETCH_AND_ADD ->
                maskedFetchAndAdd(address, operands(i, ExtendedAtomics.FETCH_AND_ADD_OPERANDS));
        }
    }

    private long[] operands(int i, int count) {
        long[] words = new long[count];
        for (int w = 0; w < count; w++) {
            words[w] = chain.writeWord(i, w);
        }
        return words;
    }

    @Override
    public void completed(VerbResults results) {
        long[][] words = new long[chain.size()][];
        for (int i = 0; i < words.length; i++) {
            // A WRITE has no result.
            words[i] = new long[verb(i) == Verb.WRITE ? 0 : words(i)];
            for (int w = 0; w < words[i].length; w++) {
                words[i][w] = results.word(i, w);
            }
        }
        turns.run(() -> chain.completed((verb, word) -> words[verb][word]));
    }

    @Override
    public void failed(FabricException cause) {
        failed.accept(cause);
    }
}
