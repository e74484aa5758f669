// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.internal.tcp.wire.ControlFrames;
import io.declock.internal.tcp.wire.InquiryFrames;
import io.declock.internal.tcp.wire.MemberFrames;
import io.declock.internal.tcp.wire.NodeListFrames;
import io.declock.internal.tcp.wire.ValueFrames;
import io.declock.internal.tcp.wire.Wire;
import io.declock.spi.ControlPlane;
import io.declock.spi.FabricException;
import io.declock.spi.GivenUp;
import io.declock.spi.HeartbeatReply;
import io.declock.spi.LockAnswer;
import io.declock.spi.Membership;
import io.declock.spi.NodeList;
import io.declock.spi.NodeListState;
import io.declock.spi.NodeSet;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordMembers;
import io.declock.spi.Resolution;
import io.declock.spi.RestoredHold;
import io.declock.spi.ValueReading;
import io.declock.spi.ValueWriting;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/** The requests of one session to its memory node: which frame asks, and what the answer says. Thread-safe. */
final class SessionControl implements ControlPlane {
    private final Line line;

    /** The session, which may be between two connections. Thread-safe. */
    interface Line {
        /** Returns how messages name the memory node. */
        String node();

        /** Returns the version of the protocol that the memory node and this process speak. */
        int version();

        /** Returns the members that the memory node has told of. */
        Membership members();

        /**
         * Sends a request, again on each next connection until it is answered or its time is over.
         *
         * @param answer type of the answer
         * @param result what the answer says
         */
        <A, T> CompletableFuture<T> ask(Class<A> answer, Function<A, T> result, PendingRequests.Writer frame);

        /** Sends a request as {@link #ask} does, behind the chains that were posted before it, if the present connection takes them all. */
        <A, T> CompletableFuture<T> askAfterChains(
                Class<A> answer, Function<A, T> result, PendingRequests.Writer frame);

        /** Sends a frame that has no answer, if there is a connection. */
        void tell(Consumer<ByteBuf> frame);

        /** Sends a message to another member by the memory node, or drops it. */
        void relay(PeerMessage message);

        /** Leaves the memory node. */
        CompletionStage<Void> leave();
    }

    SessionControl(Line line) {
        this.line = line;
    }

    @Override
    public CompletionStage<HeartbeatReply> heartbeat() {
        return line.ask(HeartbeatReply.class, Function.identity(), ControlFrames::writeHeartbeat);
    }

    @Override
    public CompletionStage<Resolution> resolve(String fullName) {
        return find(ControlFrames::writeResolve, fullName, Optional::orElseThrow);
    }

    @Override
    public CompletionStage<Optional<Resolution>> lookUp(String fullName) {
        return find(ControlFrames::writeLookUp, fullName, Function.identity());
    }

    /** Writes a request about a name. */
    @FunctionalInterface
    private interface NameRequest {
        void write(ByteBuf out, int number, byte[] fullName);
    }

    private <T> CompletionStage<T> find(NameRequest frame, String fullName, Function<Optional<Resolution>, T> result) {
        byte[] name = fullName.getBytes(StandardCharsets.UTF_8);
        if (name.length == 0 || name.length > Wire.MAX_TEXT) {
            return CompletableFuture.failedStage(new FabricException.Refused(
                    FabricException.Reason.BAD_REQUEST,
                    "a full lock name must have 1 to " + Wire.MAX_TEXT + " bytes in UTF-8, this one has "
                            + name.length));
        }
        return line.ask(
                ControlFrames.Found.class,
                found -> result.apply(Optional.ofNullable(found.resolution())),
                (out, request) -> frame.write(out, request, name));
    }

    @Override
    public CompletionStage<Membership> members() {
        // What has changed since was told before the answer.
        return line.ask(SessionAnswers.Done.class, done -> line.members(), MemberFrames::writeMembers);
    }

    @Override
    public CompletionStage<RecordMembers> members(long record) {
        return line.ask(
                BitSet.class,
                users -> RecordMembers.of(line.members(), users),
                (out, request) -> MemberFrames.writeRecordMembers(out, request, record));
    }

    @Override
    public CompletionStage<Void> declareNodeSet(NodeSet set) {
        return line.ask(
                SessionAnswers.Done.class,
                SessionControl::nothing,
                (out, request) -> ControlFrames.writeDeclareNodeSet(out, request, set));
    }

    @Override
    public CompletionStage<Long> restore(RestoredHold hold) {
        ControlFrames.Restore restore = new ControlFrames.Restore(
                hold.fullName().getBytes(StandardCharsets.UTF_8), hold.exclusive(), hold.epoch());
        return line.ask(
                ControlFrames.Restored.class,
                ControlFrames.Restored::record,
                (out, request) -> ControlFrames.writeRestore(out, request, restore));
    }

    @Override
    public CompletionStage<Void> moved() {
        return line.ask(SessionAnswers.Done.class, SessionControl::nothing, ControlFrames::writeMoved);
    }

    @Override
    public CompletionStage<Long> awaitGrace() {
        return line.ask(ControlFrames.GraceOver.class, ControlFrames.GraceOver::epoch, ControlFrames::writeAwaitGrace);
    }

    /** Asks something about lists of memory nodes, which a memory node of an earlier release does not know. */
    private <A, T> CompletionStage<T> askOfLists(Class<A> answer, Function<A, T> result, PendingRequests.Writer frame) {
        return line.version() >= Wire.LISTS_VERSION ? line.ask(answer, result, frame) : tooOld("lists of memory nodes");
    }

    private <T> CompletionStage<T> tooOld(String what) {
        return CompletableFuture.failedStage(new FabricException.Refused(
                FabricException.Reason.BAD_VERSION,
                line.node() + " speaks version " + line.version() + " of the DecLock protocol, which knows no " + what
                        + ": update it"));
    }

    @Override
    public CompletionStage<Void> reserve(long record, long nanos) {
        ControlFrames.Reserve reservation = new ControlFrames.Reserve(record, nanos);
        return line.version() >= Wire.RESERVATIONS_VERSION
                ? line.ask(
                        SessionAnswers.Done.class,
                        SessionControl::nothing,
                        (out, request) -> ControlFrames.writeReserve(out, request, reservation))
                : tooOld("reservations");
    }

    @Override
    public CompletionStage<ValueReading> readValue(long record) {
        return line.version() >= Wire.VALUES_VERSION
                ? line.askAfterChains(
                        ValueReading.class,
                        Function.identity(),
                        (out, request) -> ValueFrames.writeReadValue(out, request, record))
                : tooOld("guarded values");
    }

    @Override
    public CompletionStage<Void> writeValue(ValueWriting writing) {
        return line.version() >= Wire.VALUES_VERSION
                ? line.ask(
                        SessionAnswers.Done.class,
                        SessionControl::nothing,
                        (out, request) -> ValueFrames.writeWriteValue(out, request, writing))
                : tooOld("guarded values");
    }

    @Override
    public CompletionStage<NodeListState> nodes() {
        return askOfLists(NodeListState.class, Function.identity(), NodeListFrames::writeAskNodes);
    }

    @Override
    public CompletionStage<Void> proposeNodes(NodeList list) {
        return askOfLists(
                SessionAnswers.Done.class,
                SessionControl::nothing,
                (out, request) -> NodeListFrames.writeProposeNodes(out, request, list));
    }

    @Override
    public CompletionStage<Void> declareNodes(NodeList list) {
        return askOfLists(
                SessionAnswers.Done.class,
                SessionControl::nothing,
                (out, request) -> NodeListFrames.writeDeclareNodes(out, request, list));
    }

    @Override
    public CompletionStage<Long> awaitGivenUp(long number) {
        return askOfLists(
                NodeListFrames.GaveUp.class,
                NodeListFrames.GaveUp::epoch,
                (out, request) -> NodeListFrames.writeAwaitGivenUp(out, request, number));
    }

    @Override
    public CompletionStage<Long> takeOver(GivenUp word) {
        return askOfLists(
                NodeListFrames.TakenOver.class,
                NodeListFrames.TakenOver::epoch,
                (out, request) -> NodeListFrames.writeTakeOver(out, request, word));
    }

    @Override
    public void relay(PeerMessage message) {
        line.relay(message);
    }

    @Override
    public void answerReclaim(long round, long[] vetoed) {
        // Without an answer the memory node takes the break for a veto.
        line.tell(out -> ControlFrames.writeReclaimAnswer(out, round, vetoed));
    }

    @Override
    public void answerInquiry(LockAnswer answer) {
        LockAnswer known = line.version() >= Wire.KEEPING_VERSION ? answer : answer.withoutKept();
        line.tell(out -> InquiryFrames.writeLockAnswer(out, known));
    }

    @Override
    public CompletionStage<Void> leave() {
        return line.leave();
    }

    @SuppressWarnings("NullAway") // The one value of Void.
    static Void nothing(SessionAnswers.Done done) {
        return null;
    }
}
