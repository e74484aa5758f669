// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import io.declock.Verb;
import io.declock.internal.chains.ExecutedChains;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.NodeCounts;
import io.declock.internal.memorynode.Region;
import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.ChainDoneFrame;
import io.declock.internal.tcp.wire.ChainFrame;
import io.declock.internal.tcp.wire.FrameBody;
import io.netty.buffer.ByteBuf;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Executes the chains that arrive in frames: checks each chain as a whole, executes its verbs in order, and answers in one frame. Belongs
 * to one connection's event loop.
 */
final class ProcessorChains implements ChainDoneFrame.Words {
    private final ChainFrame chain = new ChainFrame();
    private final Region region;
    private final NodeCounts counts;
    private @Nullable ExecutedChains executed;

    ProcessorChains(MemoryNode node) {
        this.region = node.region();
        this.counts = node.counts();
    }

    /** Executes the chain of a frame, remembers its results in {@code session}, and appends the answer. */
    void accept(ExecutedChains session, FrameBody body, ByteBuf out) throws BadFrameException {
        read(chain, body, region);
        int due = session.next();
        if (!session.begin(chain.sequence(), chain.oldest())) {
            throw new BadFrameException("chain " + chain.sequence() + ", of which chain " + chain.oldest()
                    + " is the oldest unanswered one, where chain " + due + " is due");
        }
        executed = session;
        ChainDoneFrame.writeChainDone(out, chain.sequence(), this);
    }

    /** Reads a chain and sees that each of its verbs works on memory of the region. */
    static void read(ChainFrame chain, FrameBody body, Region region) throws BadFrameException {
        chain.readChain(body);
        for (int i = 0; i < chain.size(); i++) {
            if (!region.covers(chain.verb(i), chain.address(i), chain.words(i))) {
                throw new BadFrameException("a verb on " + chain.words(i) + " words at " + chain.address(i)
                        + ", which is not memory of this region");
            }
        }
    }

    @Override
    public void write(ByteBuf out) {
        ExecutedChains session = Objects.requireNonNull(executed);
        for (int i = 0; i < chain.size(); i++) {
            Verb verb = chain.verb(i);
            counts.count(verb);
            if (verb.isExtended()) {
                executeExtended(verb, i, session, out);
                continue;
            }
            for (int w = 0; w < chain.words(i); w++) {
                long address = chain.address(i) + (long) w * Long.BYTES;
                long found = region.execute(verb, address, chain.operand(i, w), chain.desired(i));
                if (verb != Verb.WRITE) {
                    out.writeLongLE(found);
                    session.found(found);
                }
            }
        }
    }

    private void executeExtended(Verb verb, int i, ExecutedChains session, ByteBuf out) {
        region.execute(verb, chain.address(i), w -> chain.operand(i, w), found -> {
            out.writeLongLE(found);
            session.found(found);
        });
    }
}
