// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.spi.ControlPlane;
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
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The control plane over TCP. It also reports to the RDMA session that leaving begins or has ended, and each list of members. Thread-safe.
 */
final class LeavingControl implements ControlPlane {
    private final ControlPlane tcp;
    private final RdmaSession session;

    LeavingControl(ControlPlane tcp, RdmaSession session) {
        this.tcp = tcp;
        this.session = session;
    }

    @Override
    public CompletionStage<HeartbeatReply> heartbeat() {
        return tcp.heartbeat();
    }

    @Override
    public CompletionStage<Resolution> resolve(String fullName) {
        return tcp.resolve(fullName);
    }

    @Override
    public CompletionStage<Optional<Resolution>> lookUp(String fullName) {
        return tcp.lookUp(fullName);
    }

    @Override
    public CompletionStage<Membership> members() {
        return tcp.members().thenApply(members -> {
            session.membersAre(members);
            return members;
        });
    }

    @Override
    public CompletionStage<RecordMembers> members(long record) {
        return tcp.members(record);
    }

    @Override
    public CompletionStage<Void> declareNodeSet(NodeSet set) {
        return tcp.declareNodeSet(set);
    }

    @Override
    public CompletionStage<Long> restore(RestoredHold hold) {
        return tcp.restore(hold);
    }

    @Override
    public CompletionStage<Void> reserve(long record, long nanos) {
        return tcp.reserve(record, nanos);
    }

    @Override
    public CompletionStage<ValueReading> readValue(long record) {
        return tcp.readValue(record);
    }

    @Override
    public CompletionStage<Void> writeValue(ValueWriting writing) {
        return tcp.writeValue(writing);
    }

    @Override
    public CompletionStage<Void> moved() {
        return tcp.moved();
    }

    @Override
    public CompletionStage<Long> awaitGrace() {
        return tcp.awaitGrace();
    }

    @Override
    public CompletionStage<NodeListState> nodes() {
        return tcp.nodes();
    }

    @Override
    public CompletionStage<Void> proposeNodes(NodeList list) {
        return tcp.proposeNodes(list);
    }

    @Override
    public CompletionStage<Void> declareNodes(NodeList list) {
        return tcp.declareNodes(list);
    }

    @Override
    public CompletionStage<Long> awaitGivenUp(long number) {
        return tcp.awaitGivenUp(number);
    }

    @Override
    public CompletionStage<Long> takeOver(GivenUp word) {
        return tcp.takeOver(word);
    }

    @Override
    public void relay(PeerMessage message) {
        tcp.relay(message);
    }

    @Override
    public void answerReclaim(long round, long[] vetoed) {
        tcp.answerReclaim(round, vetoed);
    }

    @Override
    public void answerInquiry(LockAnswer answer) {
        tcp.answerInquiry(answer);
    }

    @Override
    public CompletionStage<Void> leave() {
        session.leaving();
        return tcp.leave().whenComplete((done, failure) -> session.left());
    }
}
