// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The requests of one session to its memory node that are not verbs. Thread-safe; stages complete on a thread of the fabric,
 * exceptionally with a {@link FabricException}.
 */
public interface ControlPlane {
    /**
     * Renews the lease.
     *
     * @return completes with the memory node's answer
     */
    CompletionStage<HeartbeatReply> heartbeat();

    /**
     * Finds the record of a name (with its namespace), allocating one if the name has none.
     *
     * @param fullName namespace and name
     * @return completes with where the record is
     */
    CompletionStage<Resolution> resolve(String fullName);

    /**
     * Finds the record of a name without allocating one.
     *
     * @param fullName namespace and name
     * @return completes with where the record is, empty if there is none
     */
    CompletionStage<Optional<Resolution>> lookUp(String fullName);

    /**
     * Fetches the live members; reflects every session that was cut before the request arrived.
     *
     * @return completes with the members
     */
    CompletionStage<Membership> members();

    /**
     * Fetches the live members and which of them know a record; reflects every session that was cut, and every answer to a resolution
     * that was sent, before the request arrived.
     *
     * @param record the record's address, from its resolution
     * @return completes with the members
     */
    CompletionStage<RecordMembers> members(long record);

    /**
     * Declares which memory nodes this compute node uses, once it knows them. The first declaration is binding while its compute node is
     * joined, and newcomers are told of it ({@link JoinReply#nodeSet}). A compute node that declares another set is refused ({@link
     * FabricException.Reason#BAD_NODE_SET}), because two sets would give one name two locks.
     *
     * @param set the memory nodes
     * @return completes when the memory node has agreed
     */
    CompletionStage<Void> declareNodeSet(NodeSet set);

    /**
     * Asks how far the memory node is with its list of memory nodes.
     *
     * @return completes with the state, and exceptionally if the memory node knows no lists
     */
    default CompletionStage<NodeListState> nodes() {
        return CompletableFuture.failedStage(new FabricException("this fabric knows no lists of memory nodes"));
    }

    /**
     * Asks the memory node to take a list as the next one (rule M1 of docs/protocol.md). The proposal lasts as long as this session, and as long
     * as it lasts the memory node takes no other list of that number. Only a session with which every memory node of the list and of the one before
     * has agreed may {@linkplain #declareNodes declare} the list.
     *
     * @param list the list
     * @return completes when the memory node has agreed, and exceptionally with a {@link FabricException.Refused} that says why it has not
     */
    default CompletionStage<Void> proposeNodes(NodeList list) {
        return CompletableFuture.failedStage(new FabricException("this fabric knows no lists of memory nodes"));
    }

    /**
     * Declares that this compute node uses a list: from now on it takes nothing at this memory node in names that belong to another one by the list
     * (rule M3 of docs/protocol.md). A memory node that does not have the list yet takes it.
     *
     * @param list the list
     * @return completes when the memory node has the list in a place that survives it
     */
    default CompletionStage<Void> declareNodes(NodeList list) {
        return CompletableFuture.failedStage(new FabricException("this fabric knows no lists of memory nodes"));
    }

    /**
     * Waits until the memory node has given up the names that belong to others by its list: until every compute node here has declared the list, or
     * its session has ended.
     *
     * @param number number of the list
     * @return completes with an epoch that no lock of this memory node has exceeded
     */
    default CompletionStage<Long> awaitGivenUp(long number) {
        return CompletableFuture.failedStage(new FabricException("this fabric knows no lists of memory nodes"));
    }

    /**
     * Tells the memory node that another one has given up the names that this one takes over (rule M4 of docs/protocol.md).
     *
     * @param givenUp which, by which list, with which epochs
     * @return completes with the epoch of the records of restored holds, when positions in these names can be taken
     */
    default CompletionStage<Long> takeOver(GivenUp givenUp) {
        return CompletableFuture.failedStage(new FabricException("this fabric knows no lists of memory nodes"));
    }

    /**
     * Restores a hold of this process's last session in this life of the memory node (rule H5 of docs/protocol.md). Only in a session whose
     * {@linkplain JoinRequest#moves request to join} said that the process moves, and before {@link #moved}.
     *
     * @param hold the hold
     * @return completes with the address of the name's record; the hold counts once {@link #moved} has completed
     */
    CompletionStage<Long> restore(RestoredHold hold);

    /**
     * Tells the memory node that every hold was restored that this process wants to keep. From then on they are holds of this session.
     *
     * @return completes when the memory node has counted them
     */
    CompletionStage<Void> moved();

    /**
     * Waits until the memory node lets positions be taken: until every member of its former life has moved, or its lease has run out (rule
     * H2 of docs/protocol.md).
     *
     * @return completes with the full epoch of the records of the holds that were restored
     */
    CompletionStage<Long> awaitGrace();

    /**
     * Has a position that this compute node holds exclusively stay taken for a while even if this session ends: the memory node has it from then on
     * (rules R1 and R2 of docs/protocol.md). A longer reservation of the same position replaces a shorter one. Zero ends it; the compute node gives the
     * position back only after that has completed.
     *
     * @param record the record's address, from its resolution
     * @param nanos how long, on the memory node's clock, from the arrival of the request on
     * @return completes when the memory node has noted it, and exceptionally if the memory node knows no reservations
     */
    default CompletionStage<Void> reserve(long record, long nanos) {
        return CompletableFuture.failedStage(
                new FabricException.Refused(FabricException.Reason.BAD_VERSION, "this fabric knows no reservations"));
    }

    /**
     * Reads the value of a record, and its header at the same instant.
     *
     * @param record the record's address, from its resolution
     * @return completes with what was read, and exceptionally if the memory node knows no values
     */
    default CompletionStage<ValueReading> readValue(long record) {
        return CompletableFuture.failedStage(noValues());
    }

    /**
     * Stores the value of a record, or removes it, if the position of the writer is still in the lock's queue (rule V1 of docs/protocol.md).
     *
     * @param writing what is stored, and by which holder
     * @return completes when the memory node has it, and exceptionally with a {@link FabricException.Refused}: for the reason {@link
     *     FabricException.Reason#NOT_YET} in a reset, {@link FabricException.Reason#BAD_REQUEST} for a position that was given back, {@link
     *     FabricException.Reason#TABLE_FULL} if the memory node has no room
     */
    default CompletionStage<Void> writeValue(ValueWriting writing) {
        return CompletableFuture.failedStage(noValues());
    }

    private static FabricException.Refused noValues() {
        return new FabricException.Refused(FabricException.Reason.BAD_VERSION, "this fabric knows no guarded values");
    }

    /**
     * Has the memory node relay a message to its receiver, for when there is no direct connection. Best effort.
     *
     * @param message the message, with its receiver
     */
    void relay(PeerMessage message);

    /**
     * Answers a reclaim proposal: those of its records that this compute node still uses.
     *
     * @param round the proposal's round
     * @param vetoed records that must stay; all others of the proposal have been forgotten by this compute node
     */
    void answerReclaim(long round, long[] vetoed);

    /**
     * Answers an operator's inquiry.
     *
     * @param answer the holds and waits when the inquiry arrived
     */
    default void answerInquiry(LockAnswer answer) {}

    /**
     * Leaves the memory node and ends the session. The compute node must have no hold and no queue position left. Once it has completed,
     * {@link SessionListener#lost} is not called.
     *
     * @return completes when the memory node has ended the session
     */
    CompletionStage<Void> leave();
}
