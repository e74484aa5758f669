// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.Verb;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.spi.VerbChain;

/** Formats texts for the trace. */
final class Describe {
    private Describe() {}

    /** Describes the results of a chain's verbs. */
    static String results(PostedChain executed, WatchedRegion memory) {
        VerbChain chain = executed.chain();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < chain.size(); i++) {
            long record = memory.recordAt(chain.address(i));
            long offset = chain.address(i) - record;
            text.append("; record ").append(record).append(' ').append(chain.verb(i));
            for (int w = 0; w < chain.words(i); w++) {
                long word = offset / Long.BYTES + w;
                long value = chain.verb(i) == Verb.WRITE ? chain.writeWord(i, w) : executed.word(i, w);
                if (word == 0) {
                    text.append(" {").append(LockHeader.toString(value)).append('}');
                } else if (word == 1) {
                    text.append(" full epoch ").append(value);
                } else if (value != QueueEntry.INITIAL) {
                    text.append(" [slot ")
                            .append(word - 2)
                            .append(": ")
                            .append(QueueEntry.toString(value))
                            .append(']');
                }
            }
        }
        return text.toString();
    }
}
