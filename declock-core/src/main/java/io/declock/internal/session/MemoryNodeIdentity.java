// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.MemoryNodeAddress;
import io.declock.spi.FabricException;
import io.declock.spi.FormerMemoryNode;
import io.declock.spi.JoinReply;
import io.declock.spi.NodeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Which memory node is at the address of a link: the id that it keeps for good, and the life that this process had its last session with.
 * Thread-safe.
 */
final class MemoryNodeIdentity {
    private static final Known NOTHING = new Known("", 0, FormerMemoryNode.NONE);

    private final MemoryNodeAddress address;
    private final AtomicReference<Known> known = new AtomicReference<>(NOTHING);

    /** What is known; an id never comes without its hash. */
    private record Known(String id, long idHash, FormerMemoryNode former) {}

    /** Makes that of an address whose memory node is not known yet. */
    MemoryNodeIdentity(MemoryNodeAddress address) {
        this.address = address;
    }

    /** A list of memory nodes tells the id of the memory node; has no effect if the id is known. */
    void expect(String id) {
        known.compareAndSet(NOTHING, new Known(id, NodeSet.hash(id), FormerMemoryNode.NONE));
    }

    /** A session with the memory node is used from now on. */
    void joined(JoinReply reply) {
        String id = reply.memoryNodeId();
        known.set(new Known(
                id, NodeSet.hash(id), new FormerMemoryNode(reply.memoryNodeIncarnation(), reply.memoryNodeAddress())));
    }

    /**
     * Returns a refusal if a memory node is not the one that was joined at this address before (rule C8), else null. Names are mapped to
     * memory node ids: with another id, bound names would stay at their memory node and other names would move to another one, so that a
     * lock could have two writers.
     *
     * @param asked the candidate that answered
     * @param id what it calls itself
     */
    FabricException.@Nullable Refused refusalOf(MemoryNodeAddress asked, String id) {
        String before = id();
        if (before.isEmpty() || before.equals(id)) {
            return null;
        }
        String candidate = asked.candidates().get(0).toString();
        String wrongCandidate = address.others().isEmpty()
                ? ""
                : ", take " + candidate + " off the list of candidates (declock.memory-nodes)";
        return new FabricException.Refused(
                FabricException.Reason.BAD_NODE_SET,
                address + " was memory node '" + before + "' when this process joined it, and " + candidate
                        + " calls itself '" + id + "' now. Give the memory node its id back (declock.memory-node.id)"
                        + wrongCandidate + ", or restart every service that uses it");
    }

    /** Returns the memory node's id, empty while it is not known. */
    String id() {
        return known.get().id;
    }

    /** Returns the hash of the memory node's id, which has no meaning while that is not known. */
    long idHash() {
        return known.get().idHash;
    }

    /** Returns the life of the last session; this process only reports its address and never connects to it. */
    FormerMemoryNode former() {
        return known.get().former;
    }
}
