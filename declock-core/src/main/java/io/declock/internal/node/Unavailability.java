// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.LockNames;
import io.declock.MemoryNodeRefusedException;
import io.declock.MemoryNodeUnavailableException;
import io.declock.internal.session.MemoryNodeLink;
import io.declock.spi.FabricException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Says of which memory nodes nothing can be had, and makes the exceptions that say so. Thread-safe. */
final class Unavailability {
    private final MemoryNodeLinks links;

    Unavailability(MemoryNodeLinks links) {
        this.links = links;
    }

    /** Returns whether a memory node is known to be unavailable; if it is not known which one is meant, whether any that may be meant is. */
    boolean hasProblem(@Nullable MemoryNodeLink link) {
        return link != null
                ? !link.problem().isEmpty()
                : links.all().stream()
                        .anyMatch(other -> other.memoryNodeId().isEmpty()
                                && !other.problem().isEmpty());
    }

    /**
     * Returns the exception for a lock whose memory node is unavailable.
     *
     * @param link the link to that memory node, or null if it is not known which one that is
     */
    MemoryNodeUnavailableException of(String name, @Nullable MemoryNodeLink link) {
        String where = link == null
                ? "a memory node that is not known yet, because these were never joined: " + neverJoined()
                : "memory node " + link.address() + ", which is unavailable"
                        + (link.problem().isEmpty() ? "" : ": " + link.problem());
        return new MemoryNodeUnavailableException("lock " + LockNames.quoted(name) + " lives on " + where);
    }

    private String neverJoined() {
        return links.all().stream()
                .filter(link -> link.memoryNodeId().isEmpty())
                .map(link -> link.address() + (link.problem().isEmpty() ? "" : " (" + link.problem() + ")"))
                .collect(Collectors.joining(", "));
    }

    /** Returns the exception for the first memory node that refuses this process for good, or null if none does. */
    @Nullable
    MemoryNodeRefusedException refusal() {
        for (MemoryNodeLink link : links.all()) {
            MemoryNodeRefusedException refused = refusalBy(link);
            if (refused != null) {
                return refused;
            }
        }
        return null;
    }

    /** Returns the exception for a memory node that refuses this process for good, or null if it does not. */
    @Nullable
    MemoryNodeRefusedException refusalBy(MemoryNodeLink link) {
        FabricException.Refused refusal = link.refusal();
        return refusal == null
                ? null
                : new MemoryNodeRefusedException(
                        "memory node " + link.address() + " refused this process: " + refusal.getMessage(), refusal);
    }
}
