// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.spi.FabricException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The entry of one session on the {@link MemberList}, which is written while the session is a member already: only when it is there may the
 * compute node learn that it has joined (rule H1 of docs/protocol.md). Thread-safe.
 */
public final class MemberEntry {
    private final CompletableFuture<Boolean> end = new CompletableFuture<>();

    MemberEntry() {}

    /**
     * Has an action run when the entry is written, perhaps at once.
     *
     * @param written runs when it is
     * @param failed runs if it cannot be, with the refusal for the compute node; the session has ended then
     */
    public void whenWritten(Runnable written, Consumer<FabricException.Refused> failed) {
        end.whenComplete((ok, failure) -> {
            if (failure == null) {
                written.run();
            } else {
                failed.accept(refusal(failure));
            }
        });
    }

    private static FabricException.Refused refusal(Throwable failure) {
        return failure instanceof FabricException.Refused refused
                ? refused
                : new FabricException.Refused(FabricException.Reason.NOT_YET, String.valueOf(failure.getMessage()));
    }

    /** Returns whether it is written, or cannot be; until then the compute node knows nothing of its session. */
    boolean isDecided() {
        return end.isDone();
    }

    /** The entry is on the list. */
    void written() {
        end.complete(true);
    }

    /** The entry cannot be put on the list. */
    void failed(FabricException.Refused why) {
        end.completeExceptionally(why);
    }
}
