// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import io.declock.Verb;
import io.declock.spi.ExtendedAtomics;
import io.declock.spi.FabricException;
import io.declock.spi.RemoteMemory;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Brings a client's chains to a fabric, and their results to the client in its turn. A chain whose words do not lie side by side in the region goes as several, in order; a READ of such a chain may see the words
 * of a WRITE behind it. Thread-safe.
 */
final class Relay {
    private final RemoteMemory memory;
    private final Placement placement;
    private final Consumer<Runnable> turn;
    private final Consumer<Throwable> failed;

    /**
     * Makes one.
     *
     * @param turn runs something in the client's turn
     * @param failed told when a chain fails, of which the client learns nothing
     */
    Relay(RemoteMemory memory, Placement placement, Consumer<Runnable> turn, Consumer<Throwable> failed) {
        this.memory = memory;
        this.placement = placement;
        this.turn = turn;
        this.failed = failed;
    }

    /** Posts a chain. */
    void post(VerbChain chain) {
        new Sent(chain).post();
    }

    /**
     * A part of a verb that is executed at once.
     *
     * @param verb position of the verb in the client's chain
     * @param first its first word
     * @param words number of words
     */
    private record Piece(int verb, int first, int words) {}

    /** A client's chain on its way. */
    private final class Sent {
        private final VerbChain chain;
        private final long[][] results;
        private final List<Part> parts = new ArrayList<>();
        private final AtomicInteger left;

        Sent(VerbChain chain) {
            this.chain = chain;
            this.results = new long[chain.size()][];
            for (int verb = 0; verb < results.length; verb++) {
                // A WRITE has no result.
                results[verb] = new long[chain.verb(verb) == Verb.WRITE ? 0 : chain.words(verb)];
                split(verb);
            }
            this.left = new AtomicInteger(parts.size());
        }

        private void split(int verb) {
            int words = chain.words(verb);
            int first = 0;
            while (first < words) {
                int together = placement.together(address(verb, first));
                Piece piece = new Piece(verb, first, Math.min(together, words - first));
                if (parts.isEmpty() || !last().takes(piece)) {
                    parts.add(new Part(this));
                }
                last().add(piece);
                first += piece.words();
            }
        }

        private Part last() {
            return parts.get(parts.size() - 1);
        }

        private long address(int verb, int word) {
            return chain.address(verb) + (long) word * Long.BYTES;
        }

        private boolean isLong(Piece piece) {
            return chain.verb(piece.verb()).isExtended() || chain.verb(piece.verb()) == Verb.WRITE && piece.words() > 1;
        }

        void post() {
            parts.forEach(memory::post);
        }

        void partCompleted() {
            if (left.decrementAndGet() == 0) {
                turn.accept(() -> chain.completed((verb, word) -> results[verb][word]));
            }
        }
    }

    /** What goes to the fabric as one chain. */
    private final class Part extends VerbChain {
        private final Sent sent;
        private final List<Piece> pieces = new ArrayList<>();
        private boolean hasLong;

        Part(Sent sent) {
            this.sent = sent;
            begin(sent.chain.purpose());
        }

        boolean takes(Piece piece) {
            return size() < MAX_VERBS && !(hasLong && sent.isLong(piece));
        }

        void add(Piece piece) {
            pieces.add(piece);
            hasLong |= sent.isLong(piece);
            VerbChain chain = sent.chain;
            int verb = piece.verb();
            long address = placement.inRegion(sent.address(verb, piece.first()));
            switch (chain.verb(verb)) {
                case FETCH_AND_ADD -> fetchAndAdd(address, chain.operand(verb));
                case COMPARE_AND_SWAP -> compareAndSwap(address, chain.operand(verb), chain.desired(verb));
                case READ -> read(address, piece.words());
                case WRITE -> {
                    if (piece.words() == 1) {
                        write(address, chain.writeWord(verb, piece.first()));
                    } else {
                        write(address, operands(verb, piece.first(), piece.words()));
                    }
                }
                case MASKED_COMPARE_AND_SWAP ->
                    maskedCompareAndSwap(address, operands(verb, 0, ExtendedAtomics.COMPARE_AND_SWAP_OPERANDS));
                case MASKED_FETCH_AND_ADD ->
                    maskedFetchAndAdd(address, operands(verb, 0, ExtendedAtomics.FETCH_AND_ADD_OPERANDS));
            }
        }

        private long[] operands(int verb, int first, int count) {
            long[] words = new long[count];
            for (int w = 0; w < count; w++) {
                words[w] = sent.chain.writeWord(verb, first + w);
            }
            return words;
        }

        @Override
        public void completed(VerbResults results) {
            for (int i = 0; i < pieces.size(); i++) {
                Piece piece = pieces.get(i);
                if (verb(i) != Verb.WRITE) {
                    for (int w = 0; w < piece.words(); w++) {
                        sent.results[piece.verb()][piece.first() + w] = results.word(i, w);
                    }
                }
            }
            sent.partCompleted();
        }

        @Override
        public void failed(FabricException cause) {
            failed.accept(cause);
        }
    }
}
