// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.JoinRequest;
import io.declock.spi.Member;
import org.jspecify.annotations.Nullable;

/**
 * Decides as which member a request to join is let in: a process that has a session here already becomes the next incarnation of its node id,
 * unless the request was overtaken or verbs of that session may still land (rule C6 of docs/protocol.md); any other process gets an id that has
 * rested (rule B16). Guarded by the session table's lock.
 */
final class Admission {
    private final MemoryNodeSettings settings;
    private final NodeIds ids;
    private final JoinedSessions sessions;

    Admission(MemoryNodeSettings settings, NodeIds ids, JoinedSessions sessions) {
        this.settings = settings;
        this.ids = ids;
        this.sessions = sessions;
    }

    /**
     * Returns the session that a process which asks to join has here already, or null.
     *
     * @throws FabricException.Refused if the process has made that session by a later request
     */
    @Nullable
    MemoryNodeSession earlier(JoinRequest request) throws FabricException.Refused {
        MemoryNodeSession earlier = sessions.ofProcess(request.processId());
        if (earlier != null && isOvertaken(request, earlier)) {
            throw new FabricException.Refused(
                    Reason.NOT_YET,
                    "memory node " + settings.id() + " has " + earlier.describe()
                            + " from a later attempt of this process to join");
        }
        return earlier;
    }

    /** A delayed request must not end the session that its process uses by now. */
    private static boolean isOvertaken(JoinRequest request, MemoryNodeSession present) {
        return request.attempt() <= present.attempt();
    }

    /** Refuses to replace a session whose verbs may still land. */
    void checkReplaceable(MemoryNodeSession earlier) throws FabricException.Refused {
        if (!earlier.isCutDone()) {
            throw new FabricException.Refused(
                    Reason.NOT_YET,
                    "memory node " + settings.id() + " has not yet cut the earlier session " + earlier.describe()
                            + " of this process");
        }
    }

    /**
     * Returns the next incarnation of a process's session. Unlike an id that goes to another process, the node id does not rest in between:
     * there is no moment at which it has no owner.
     */
    Member successor(MemoryNodeSession earlier, JoinRequest request, Abilities abilities) {
        int id = earlier.member().nodeId();
        return new Member(id, ids.nextIncarnation(id), request.peerAddress(), request.name(), abilities.asksForKept());
    }

    /**
     * Returns a member with a node id that has no owner.
     *
     * @param formerId id that the process had in the former life, 0 for none
     * @throws FabricException.Refused if there is no such id
     */
    Member newcomer(JoinRequest request, int formerId, Abilities abilities, long now) throws FabricException.Refused {
        int id = ids.takeAgain(formerId) ? formerId : ids.take(now);
        if (id == 0) {
            throw noId();
        }
        return new Member(id, ids.nextIncarnation(id), request.peerAddress(), request.name(), abilities.asksForKept());
    }

    /**
     * Returns the member that the memory node itself is.
     *
     * @throws FabricException.Refused if there is no id for it
     */
    Member trustee(String name, long now) throws FabricException.Refused {
        int id = ids.takeOwn(now);
        if (id == 0) {
            throw noId();
        }
        return new Member(id, ids.nextIncarnation(id), "", name);
    }

    private FabricException.Refused noId() {
        int connected = 0;
        for (MemoryNodeSession session : sessions.snapshot()) {
            connected += session.isConnected() ? 1 : 0;
        }
        int most = settings.maxComputeNodes();
        return connected == most
                ? new FabricException.Refused(
                        Reason.TOO_MANY_COMPUTE_NODES,
                        "memory node " + settings.id() + " serves at most " + most
                                + " compute nodes and all are joined; run fewer instances, or spread their locks over"
                                + " more memory nodes")
                : new FabricException.Refused(
                        Reason.NOT_YET,
                        "memory node " + settings.id()
                                + " has no node id free until the lease of a compute node that has ended runs out");
    }

    /** A session has ceased to be a member; its node id rests until {@code at}. */
    void ended(MemoryNodeSession session, long at) {
        ids.free(session.member().nodeId(), at);
    }
}
