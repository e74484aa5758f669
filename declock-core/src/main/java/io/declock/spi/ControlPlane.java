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
    /** Renews the lease. */
    CompletionStage<HeartbeatReply> heartbeat();

    /** Finds the record of a name (with its namespace), giving it one if it has none. */
    CompletionStage<Resolution> resolve(String fullName);

    /** Finds the record of a name without giving it one. */
    CompletionStage<Optional<Resolution>> lookUp(String fullName);

    /** Fetches the live members; reflects every session that was cut before the request arrived. */
    CompletionStage<Membership> members();

    /**
     * Fetches the live members and which of them know a record; reflects every session that was cut, and every answer to a resolution
     * that was sent, before the request arrived.
     *
     * @param record the record's address, as a resolution told it
     */
    CompletionStage<RecordMembers> members(long record);

    /**
     * Says which memory nodes this compute node uses, once it knows all their ids. The first to say so decides while it is
     * joined; who says otherwise is refused ({@link FabricException.Reason#BAD_NODE_SET}), because two sets would give one name
     * two locks.
     *
     * @param digest digest of the stable ids
     */
    CompletionStage<Void> declareNodeSet(long digest);

    /** Passes a message on to its receiver, for when the direct way is closed. Best effort. */
    void relay(PeerMessage message);

    /**
     * Answers a reclaim proposal: those of its records that this compute node still uses.
     *
     * @param round the proposal's round
     * @param vetoed records that must stay; all others of the proposal have been forgotten by this compute node
     */
    void answerReclaim(long round, long[] vetoed);

    /**
     * Ends the session in good order: no hold and no queue position may be left. Once it has completed, {@link
     * SessionListener#lost} is not called any more.
     */
    CompletionStage<Void> leave();
}
