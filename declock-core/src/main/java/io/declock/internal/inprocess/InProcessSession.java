// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.inprocess;

import io.declock.Counters;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSession;
import io.declock.internal.memorynode.NodeLists;
import io.declock.internal.memorynode.ResolveAnswer;
import io.declock.spi.ControlPlane;
import io.declock.spi.FabricCounters;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.GivenUp;
import io.declock.spi.HeartbeatReply;
import io.declock.spi.JoinReply;
import io.declock.spi.JoinRequest;
import io.declock.spi.LockAnswer;
import io.declock.spi.LockInquiry;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.NodeList;
import io.declock.spi.NodeListState;
import io.declock.spi.NodeSet;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordMembers;
import io.declock.spi.RemoteMemory;
import io.declock.spi.Resolution;
import io.declock.spi.RestoredHold;
import io.declock.spi.SessionListener;
import io.declock.spi.ValueReading;
import io.declock.spi.ValueWriting;
import io.declock.spi.VerbChain;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A session inside one process. Thread-safe. */
final class InProcessSession implements FabricSession, RemoteMemory, ControlPlane, SessionListener {
    private final MemoryNode node;
    private final SessionListener listener;
    private final FabricCounters counters;
    private final Consumer<InProcessSession> whenOver;
    private final ChainExecutor executor;
    private final AtomicBoolean over = new AtomicBoolean();
    private @Nullable MemoryNodeSession joinedSession;

    private InProcessSession(
            MemoryNode node, SessionListener listener, FabricCounters counters, Consumer<InProcessSession> whenOver) {
        this.node = node;
        this.listener = listener;
        this.counters = counters;
        this.whenOver = whenOver;
        this.executor = new ChainExecutor(node);
    }

    static InProcessSession join(
            MemoryNode node,
            JoinRequest request,
            SessionListener listener,
            FabricCounters counters,
            Consumer<InProcessSession> whenOver)
            throws FabricException.Refused {
        InProcessSession session = new InProcessSession(node, listener, counters, whenOver);
        session.joinedSession = node.join(request, session);
        return session;
    }

    void whenListed(Runnable listed, Consumer<FabricException.Refused> failed) {
        session().entry().whenWritten(listed, failed);
    }

    private MemoryNodeSession session() {
        MemoryNodeSession session = joinedSession;
        if (session == null) {
            throw new IllegalStateException("not joined yet");
        }
        return session;
    }

    @Override
    public JoinReply joined() {
        return session().joined();
    }

    @Override
    public boolean isChainOneRequest() {
        return true;
    }

    @Override
    public RemoteMemory memory() {
        return this;
    }

    @Override
    public ControlPlane control() {
        return this;
    }

    @Override
    public void post(VerbChain chain) {
        for (int i = 0; i < chain.size(); i++) {
            counters.verb(chain.purpose(), chain.verb(i));
        }
        Trampoline.run(() -> execute(chain));
    }

    private void execute(VerbChain chain) {
        MemoryNodeSession session = session();
        if (!session.enter()) {
            chain.failed(over());
            return;
        }
        ChainExecutor.Results results;
        try {
            results = executor.execute(chain);
        } catch (IndexOutOfBoundsException e) {
            results = null;
        } finally {
            session.exit();
        }
        if (results != null) {
            chain.completed(results);
        } else {
            FabricException cause =
                    new FabricException(chain + " reached outside the region of memory node " + node.id());
            chain.failed(cause);
            end(cause);
        }
    }

    private FabricException over() {
        return new FabricException("the session with memory node " + node.id() + " is over");
    }

    @Override
    public void send(Member to, PeerMessage message) {
        counters.count(Counters.Event.PEER_DIRECT);
        Trampoline.run(() -> session().relay(message));
    }

    @Override
    public CompletionStage<HeartbeatReply> heartbeat() {
        try {
            return CompletableFuture.completedStage(session().heartbeat());
        } catch (FabricException e) {
            return CompletableFuture.failedStage(e);
        }
    }

    @Override
    public CompletionStage<Resolution> resolve(String fullName) {
        CompletableFuture<Resolution> resolved = new CompletableFuture<>();
        ask(fullName, true, resolved, resolved::complete);
        return resolved;
    }

    @Override
    public CompletionStage<Optional<Resolution>> lookUp(String fullName) {
        CompletableFuture<Optional<Resolution>> found = new CompletableFuture<>();
        ask(fullName, false, found, resolution -> found.complete(Optional.ofNullable(resolution)));
        return found;
    }

    private void ask(
            String fullName, boolean create, CompletableFuture<?> failure, Consumer<@Nullable Resolution> answer) {
        if (session().isCut()) {
            failure.completeExceptionally(over());
            return;
        }
        session().resolve(fullName.getBytes(StandardCharsets.UTF_8), create, new ResolveAnswer() {
            @Override
            public void resolved(@Nullable Resolution resolution) {
                answer.accept(resolution);
            }

            @Override
            public void refused(FabricException.Refused refusal) {
                failure.completeExceptionally(refusal);
            }
        });
    }

    @Override
    public CompletionStage<Membership> members() {
        return session().isCut()
                ? CompletableFuture.failedStage(over())
                : CompletableFuture.completedStage(session().members());
    }

    @Override
    public CompletionStage<RecordMembers> members(long record) {
        return session().isCut()
                ? CompletableFuture.failedStage(over())
                : CompletableFuture.completedStage(session().members(record));
    }

    @Override
    @SuppressWarnings("NullAway") // The one value of Void.
    public CompletionStage<Void> declareNodeSet(NodeSet set) {
        try {
            session().declareNodeSet(set);
            return CompletableFuture.completedStage(null);
        } catch (FabricException.Refused e) {
            return CompletableFuture.failedStage(e);
        }
    }

    @Override
    public CompletionStage<Long> restore(RestoredHold hold) {
        try {
            return CompletableFuture.completedStage(session()
                    .restore(hold.fullName().getBytes(StandardCharsets.UTF_8), hold.exclusive(), hold.epoch()));
        } catch (FabricException.Refused e) {
            return CompletableFuture.failedStage(e);
        }
    }

    @Override
    @SuppressWarnings("NullAway") // The one value of Void.
    public CompletionStage<Void> reserve(long record, long nanos) {
        try {
            session().reserve(record, nanos);
            return CompletableFuture.completedStage(null);
        } catch (FabricException.Refused e) {
            return CompletableFuture.failedStage(e);
        }
    }

    @Override
    public CompletionStage<ValueReading> readValue(long record) {
        return session().isCut()
                ? CompletableFuture.failedStage(over())
                : CompletableFuture.completedStage(session().readValue(record));
    }

    @Override
    @SuppressWarnings("NullAway") // The one value of Void.
    public CompletionStage<Void> writeValue(ValueWriting writing) {
        if (!session().enter()) {
            return CompletableFuture.failedStage(over());
        }
        try {
            session().writeValue(writing);
            return CompletableFuture.completedStage(null);
        } catch (FabricException.Refused e) {
            return CompletableFuture.failedStage(e);
        } finally {
            session().exit();
        }
    }

    @Override
    @SuppressWarnings("NullAway") // The one value of Void.
    public CompletionStage<Void> moved() {
        try {
            session().moved();
            return CompletableFuture.completedStage(null);
        } catch (FabricException.Refused e) {
            return CompletableFuture.failedStage(e);
        }
    }

    @Override
    public CompletionStage<Long> awaitGrace() {
        CompletableFuture<Long> over = new CompletableFuture<>();
        session().awaitGrace(over::complete);
        return over;
    }

    @Override
    public CompletionStage<NodeListState> nodes() {
        return CompletableFuture.completedStage(node.nodeLists().state());
    }

    @Override
    @SuppressWarnings("NullAway") // The one value of Void.
    public CompletionStage<Void> proposeNodes(NodeList list) {
        try {
            node.nodeLists().propose(session(), list);
            return CompletableFuture.completedStage(null);
        } catch (FabricException.Refused e) {
            return CompletableFuture.failedStage(e);
        }
    }

    @Override
    @SuppressWarnings("NullAway") // The one value of Void.
    public CompletionStage<Void> declareNodes(NodeList list) {
        CompletableFuture<Void> declared = new CompletableFuture<>();
        node.nodeLists()
                .declare(
                        session(),
                        list,
                        new NodeLists.Answer<>(done -> declared.complete(null), declared::completeExceptionally));
        return declared;
    }

    @Override
    public CompletionStage<Long> awaitGivenUp(long number) {
        CompletableFuture<Long> givenUp = new CompletableFuture<>();
        node.nodeLists()
                .awaitGivenUp(
                        session(), number, new NodeLists.Answer<>(givenUp::complete, givenUp::completeExceptionally));
        return givenUp;
    }

    @Override
    public CompletionStage<Long> takeOver(GivenUp word) {
        CompletableFuture<Long> taken = new CompletableFuture<>();
        node.nodeLists().takeOver(word, new NodeLists.Answer<>(taken::complete, taken::completeExceptionally));
        return taken;
    }

    @Override
    public void nodesChanged(NodeList list) {
        if (!over.get()) {
            Trampoline.run(() -> listener.nodesChanged(list));
        }
    }

    @Override
    public void relay(PeerMessage message) {
        counters.count(Counters.Event.PEER_RELAYED);
        Trampoline.run(() -> session().relay(message));
    }

    @Override
    public void answerReclaim(long round, long[] vetoed) {
        Trampoline.run(() -> session().answerReclaim(round, vetoed));
    }

    @Override
    public void inquired(LockInquiry inquiry) {
        if (!over.get()) {
            Trampoline.run(() -> listener.inquired(inquiry));
        }
    }

    @Override
    public void answerInquiry(LockAnswer answer) {
        Trampoline.run(() -> session().answerInquiry(answer));
    }

    @Override
    public CompletionStage<Void> leave() {
        over.set(true);
        whenOver.accept(this);
        CompletableFuture<Void> left = new CompletableFuture<>();
        session().leave(() -> left.complete(null));
        return left;
    }

    @Override
    public void close() {
        end(new FabricException("the session with memory node " + node.id() + " was closed"));
    }

    private void end(FabricException cause) {
        session().disconnected();
        lost(cause);
    }

    @Override
    public void membershipChanged(Membership membership) {
        if (!over.get()) {
            listener.membershipChanged(membership);
        }
    }

    @Override
    public void peerMessage(PeerMessage message) {
        if (!over.get()) {
            Trampoline.run(() -> listener.peerMessage(message));
        }
    }

    @Override
    public void reclaimProposed(long round, long[] records) {
        if (!over.get()) {
            Trampoline.run(() -> listener.reclaimProposed(round, records));
        }
    }

    @Override
    public void lost(FabricException cause) {
        if (over.compareAndSet(false, true)) {
            whenOver.accept(this);
            listener.lost(cause);
        }
    }
}
