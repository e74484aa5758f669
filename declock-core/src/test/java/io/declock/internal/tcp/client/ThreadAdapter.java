// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.Verb;
import io.declock.internal.memorynode.MemoryNodeSession;
import io.declock.internal.memorynode.RdmaAccess;
import io.declock.internal.memorynode.RegionMemory;
import io.declock.internal.rdma.RdmaOffer;
import io.declock.spi.FabricException;
import io.declock.spi.RemoteMemory;
import io.declock.spi.VerbChain;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/** A thread that executes the verbs on a memory node's region as an adapter does: in order, some time after they were posted. */
final class ThreadAdapter implements RdmaAccess, RegionMemory, RemoteMemory {
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final List<ByteBuffer> segments = new ArrayList<>();
    private int segmentBytes;

    @Override
    public void reserve(int count, int bytes) {
        segmentBytes = bytes;
        for (int i = 0; i < count; i++) {
            segments.add(ByteBuffer.allocateDirect(bytes).alignedSlice(64).order(ByteOrder.LITTLE_ENDIAN));
        }
    }

    @Override
    public ByteBuffer segment(int index) {
        return segments.get(index);
    }

    @Override
    public RemoteMemory adapter() {
        return this;
    }

    @Override
    public void post(VerbChain chain) {
        thread.execute(() -> execute(chain));
    }

    private void execute(VerbChain chain) {
        long[][] found = new long[chain.size()][];
        for (int i = 0; i < chain.size(); i++) {
            found[i] = new long[chain.words(i)];
            for (int w = 0; w < found[i].length; w++) {
                found[i][w] = execute(chain, i, w);
            }
        }
        chain.completed((verb, word) -> found[verb][word]);
    }

    private long execute(VerbChain chain, int i, int w) {
        long address = chain.address(i) + (long) w * Long.BYTES;
        ByteBuffer segment = segments.get((int) (address / segmentBytes));
        int at = (int) (address % segmentBytes);
        long before = segment.getLong(at);
        Verb verb = chain.verb(i);
        switch (verb) {
            case FETCH_AND_ADD -> segment.putLong(at, before + chain.operand(i));
            case COMPARE_AND_SWAP -> segment.putLong(at, before == chain.operand(i) ? chain.desired(i) : before);
            case WRITE -> segment.putLong(at, chain.writeWord(i, w));
            case READ -> {}
            case MASKED_COMPARE_AND_SWAP, MASKED_FETCH_AND_ADD ->
                throw new IllegalStateException(chain + " was not refused");
        }
        return before;
    }

    @Override
    public void offer(
            MemoryNodeSession session, Consumer<RdmaOffer> offered, Consumer<FabricException.Refused> refused) {
        refused.accept(new FabricException.Refused(FabricException.Reason.BAD_REQUEST, "there is no device here"));
    }

    @Override
    public byte[] granted(MemoryNodeSession session) throws FabricException.Refused {
        throw new FabricException.Refused(FabricException.Reason.BAD_REQUEST, "there is no device here");
    }

    @Override
    public boolean isHealthy() {
        return true;
    }

    @Override
    public Map<String, Object> details() {
        return Map.of();
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
