// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import java.util.Optional;
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
     * Leaves the memory node and ends the session. The compute node must have no hold and no queue position left. Once it has completed,
     * {@link SessionListener#lost} is not called.
     *
     * @return completes when the memory node has ended the session
     */
    CompletionStage<Void> leave();
}
