// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.NodeList;
import io.declock.spi.NodeSet;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides which list of memory nodes this one may be given next, and agrees to one list of each number (rule M1 of docs/protocol.md). What it
 * has agreed to lasts as long as the session that proposed it; what it was given lasts for this life.
 *
 * <p>It waits for nothing and answers nobody. Guarded by the lock of {@link NameTransfer}.
 */
final class ListAgreement {
    private final String id;

    private @Nullable Proposal proposal;

    /**
     * The last list that was given to this memory node, from before it is written down. One that could not be written may be in its place all
     * the same, so no other list of its number is agreed to in this life.
     */
    private NodeList given = NodeList.NONE;

    /** A list that a session proposes. */
    private record Proposal(NodeList list, MemoryNodeSession by) {}

    /** @param id id of the memory node */
    ListAgreement(String id) {
        this.id = id;
    }

    /** Refuses what is no list of memory nodes, or cannot be kept. */
    static void checkForm(String id, NodeList list) throws FabricException.Refused {
        List<String> ids = list.nodes().stream().map(NodeList.Node::id).toList();
        long different = ids.stream().distinct().count();
        boolean has = list.nodes().contains(list.changed());
        boolean fits = different == ids.size() && different > 0 && different < NodeSet.MAX_SIZE;
        if (list.isNone() || !fits || has != list.added()) {
            throw refused(id, Reason.BAD_REQUEST, "takes no " + list.describe());
        }
        int bytes = KeptNodes.text(list, ids).getBytes(StandardCharsets.UTF_8).length;
        if (bytes > KeptNodes.MAX_BYTES) {
            throw refused(
                    id,
                    Reason.BAD_REQUEST,
                    "keeps no list of memory nodes of " + bytes + " bytes, " + KeptNodes.MAX_BYTES
                            + " are possible: use shorter ids and addresses");
        }
        boolean hasLines = list.nodes().stream()
                .anyMatch(one -> (one.id() + one.address()).chars().anyMatch(Character::isISOControl));
        if (hasLines) {
            throw refused(id, Reason.BAD_REQUEST, "keeps no id or address with control characters");
        }
    }

    /**
     * What a memory node is at the moment when a list is proposed to it.
     *
     * @param list the list that it has
     * @param obstacle why that cannot be changed now, or an empty text
     * @param users the memory nodes that compute nodes other than the proposing one use, as far as they have declared any
     * @param isUsed whether there are compute nodes other than the proposing one
     */
    record Present(NodeList list, String obstacle, NodeSet users, boolean isUsed) {}

    /**
     * Agrees to take a list as the next one, for as long as the session lasts.
     *
     * @throws FabricException.Refused if it does not
     */
    void propose(MemoryNodeSession session, NodeList list, Present present) throws FabricException.Refused {
        if (present.list.equals(list)) {
            return;
        }
        long number = present.list.number();
        if (isAdded(list) ? list.number() <= number : list.number() != number + 1) {
            throw refused(
                    Reason.BAD_NODE_SET,
                    "has " + (present.list.isNone() ? "no list of memory nodes" : present.list.describe())
                            + ", which list " + list.number() + " cannot follow");
        }
        if (!present.obstacle.isEmpty()) {
            throw new FabricException.Refused(Reason.NOT_YET, present.obstacle);
        }
        checkFormer(list, present);
        checkAgreed(session, list);
        proposal = new Proposal(list, session);
    }

    private void checkFormer(NodeList list, Present present) throws FabricException.Refused {
        boolean isNew = isAdded(list);
        if (isNew && present.isUsed) {
            throw refused(Reason.BAD_NODE_SET, "is used by compute nodes already, and cannot be added");
        }
        if (!isNew && !present.users.isNone() && !present.users.equals(list.former())) {
            throw refused(
                    Reason.BAD_NODE_SET, "belongs to another set of memory nodes than the one that the list changes");
        }
    }

    private boolean isAdded(NodeList list) {
        return list.added() && list.changed().id().equals(id);
    }

    /**
     * Notes that a session gives this memory node a list, before the list is written down.
     *
     * @param present the list that the memory node has
     * @throws FabricException.Refused if the list does not follow, or another one of its number was agreed to or given
     */
    void give(MemoryNodeSession session, NodeList list, NodeList present) throws FabricException.Refused {
        if (list.number() <= present.number()) {
            throw refused(
                    list.number() == present.number() ? Reason.BAD_NODE_SET : Reason.NOT_YET,
                    "has " + present.describe());
        }
        if (session.isCut()) {
            throw refused(Reason.SESSION_OVER, "takes no list from compute node " + session.describe());
        }
        checkAgreed(session, list);
        given = list;
    }

    /** Refuses a list if this memory node has agreed to another one of that number, or was given another one. */
    private void checkAgreed(MemoryNodeSession session, NodeList list) throws FabricException.Refused {
        Proposal agreed = proposal;
        if (given.number() == list.number() && !given.equals(list)) {
            throw refused(
                    Reason.NOT_YET,
                    "was given " + given.describe() + " before: repeat the command that has published that list");
        }
        if (agreed != null
                && agreed.by != session
                && !agreed.by.isCut()
                && agreed.list.number() == list.number()
                && !agreed.list.equals(list)) {
            throw refused(
                    Reason.NOT_YET,
                    "has agreed to " + agreed.list.describe() + ", which compute node " + agreed.by.describe()
                            + " proposes");
        }
    }

    /** Forgets the proposal of a list that the memory node has by now, or of one that can follow no more. */
    void taken(NodeList list) {
        if (proposal != null && proposal.list.number() <= list.number()) {
            proposal = null;
        }
    }

    private FabricException.Refused refused(Reason reason, String what) {
        return refused(id, reason, what);
    }

    private static FabricException.Refused refused(String id, Reason reason, String what) {
        return new FabricException.Refused(reason, "memory node " + id + " " + what);
    }
}
