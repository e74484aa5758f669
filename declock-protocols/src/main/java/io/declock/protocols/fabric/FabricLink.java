// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import io.declock.MemoryNodeAddress;
import io.declock.Purpose;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.layout.RecordLayout;
import io.declock.spi.Fabric;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinReply;
import io.declock.spi.JoinRequest;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.SessionListener;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The session of a process that is not DecLock's own: its records, in whose queues its clients have words, its timer, its messages. Nothing here mends what a broken connection loses.
 * Thread-safe.
 */
final class FabricLink implements AutoCloseable {
    /** The names of records that DecLock must not use. */
    private static final String NAMES = "literature\0";

    private final FabricSession session;
    private final RecordLayout layout;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private final Map<String, CompletableFuture<Long>> found = new ConcurrentHashMap<>();
    private volatile Membership membership;

    private FabricLink(FabricSession session, Duration lease) {
        this.session = session;
        this.layout = new RecordLayout(session.joined().queueCapacity());
        this.membership = session.joined().membership();
        long beat = lease.toNanos() / 4;
        timer.scheduleAtFixedRate(() -> session.control().heartbeat(), beat, beat, TimeUnit.NANOSECONDS);
    }

    /**
     * Joins a memory node.
     *
     * @param received gets messages; those that come before it is complete wait for it
     */
    static FabricLink join(
            Fabric fabric,
            MemoryNodeAddress address,
            String name,
            Duration lease,
            CompletableFuture<Consumer<PeerMessage>> received) {
        Events events = new Events(received);
        long process = ThreadLocalRandom.current().nextLong();
        JoinRequest request = new JoinRequest(process, 1, name, fabric.peerAddress(), 0, lease.toNanos());
        FabricSession session =
                fabric.join(address, request, events).toCompletableFuture().join();
        FabricLink made = new FabricLink(session, lease);
        events.to.complete(made);
        return made;
    }

    FabricSession session() {
        return session;
    }

    JoinReply joined() {
        return session.joined();
    }

    Membership membership() {
        return membership;
    }

    /** Returns how many words a record has for its process. */
    int recordWords() {
        return layout.capacity();
    }

    // ---------------------------------------------------------------- the end

    /** Ends what waits here, because of a failure. */
    void fail(Throwable cause) {
        over.completeExceptionally(cause);
    }

    /** Waits for something, or for the session's end. */
    void await(CompletableFuture<?> done) {
        if (!done.isDone()) {
            CompletableFuture.anyOf(done, over).join();
        }
    }

    // ---------------------------------------------------------------- time

    void after(long nanos, Runnable event) {
        timer.schedule(event, nanos, TimeUnit.NANOSECONDS);
    }

    /** Runs something soon, and in order. */
    void soon(Runnable event) {
        timer.execute(event);
    }

    static long below(long bound) {
        return bound <= 0 ? 0 : ThreadLocalRandom.current().nextLong(bound);
    }

    // ---------------------------------------------------------------- words

    /**
     * Finds the words of a name, and makes them zero unless another process has.
     *
     * @param words how many words
     * @return where the first one is
     */
    CompletableFuture<Long> find(String name, int words) {
        return found.computeIfAbsent(name, any -> record(name).thenCompose(first -> zero(first, words)));
    }

    /** Finds the words of a name as they are: those of a new record are not zero. */
    CompletableFuture<Long> record(String name) {
        return session.control()
                .resolve(NAMES + name)
                .thenApply(resolved -> layout.entries(resolved.record()))
                .toCompletableFuture();
    }

    private CompletableFuture<Long> zero(long first, int words) {
        CompletableFuture<?>[] all = new CompletableFuture<?>[words];
        for (int i = 0; i < words; i++) {
            Zero zero = new Zero(first + (long) i * Long.BYTES);
            session.memory().post(zero);
            all[i] = zero.done;
        }
        return CompletableFuture.allOf(all).thenApply(any -> first);
    }

    /** Makes a word of a new record zero. */
    private static final class Zero extends VerbChain {
        private final CompletableFuture<Void> done = new CompletableFuture<>();

        Zero(long word) {
            super(1);
            begin(Purpose.INSPECT).compareAndSwap(word, QueueEntry.INITIAL, 0);
        }

        @Override
        public void completed(VerbResults results) {
            done.complete(null);
        }

        @Override
        public void failed(FabricException cause) {
            done.completeExceptionally(cause);
        }
    }

    // ---------------------------------------------------------------- events

    /** The session's events; those that come before the link is made wait for it. */
    private static final class Events implements SessionListener {
        private final CompletableFuture<FabricLink> to = new CompletableFuture<>();
        private final CompletableFuture<Consumer<PeerMessage>> received;

        Events(CompletableFuture<Consumer<PeerMessage>> received) {
            this.received = received;
        }

        @Override
        public void membershipChanged(Membership present) {
            to.thenAccept(made ->
                    made.membership = present.version() > made.membership.version() ? present : made.membership);
        }

        @Override
        public void peerMessage(PeerMessage message) {
            received.thenAccept(receiver -> receiver.accept(message));
        }

        /** Every record is in use. */
        @Override
        public void reclaimProposed(long round, long[] records) {
            to.thenAccept(made -> made.session.control().answerReclaim(round, records));
        }

        @Override
        public void lost(FabricException cause) {
            to.thenAccept(made -> made.fail(cause));
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
        session.close();
    }
}
