// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.MemoryNodeAddress;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whom to ask next of a memory node's candidates, and what those said that were asked since the last pause. A memory node without stand-bys
 * has one candidate. Not thread-safe.
 */
final class CandidateRound {
    private final MemoryNodeAddress address;
    private final int size;
    private final List<Throwable> failures = new ArrayList<>();
    private int next;

    CandidateRound(MemoryNodeAddress address) {
        this.address = address;
        this.size = address.candidates().size();
    }

    /** Returns the candidates, beginning with the one to ask. */
    MemoryNodeAddress present() {
        return address.beginningWith(next);
    }

    /** The candidate could not be joined. Returns whether another one is to be asked before the next pause. */
    boolean failed(Throwable cause) {
        failures.add(cause);
        next = (next + 1) % size;
        return failures.size() < size;
    }

    /** Forgets what was said; the next candidate stays the same. */
    void beginAnew() {
        failures.clear();
    }

    /** Forgets what was said, and begins with another candidate than the last one, which has broken off. */
    void beginWithNext() {
        failures.clear();
        next = (next + 1) % size;
    }

    /** Returns what all of them said. */
    String problems() {
        List<String> texts = new ArrayList<>();
        for (Throwable cause : failures) {
            texts.add(cause instanceof FabricException ? String.valueOf(cause.getMessage()) : cause.toString());
        }
        return String.join("; ", texts);
    }

    /** Returns a refusal that retrying will not change, or null: one that no candidate contradicts, because the others only stand by. */
    FabricException.@Nullable Refused refusal() {
        FabricException.Refused lasting = null;
        for (Throwable cause : failures) {
            if (!(cause instanceof FabricException.Refused refused)) {
                return null;
            }
            if (!refused.reason().passes()) {
                lasting = refused;
            } else if (refused.reason() != Reason.STANDS_BY) {
                return null;
            }
        }
        return lasting;
    }
}
