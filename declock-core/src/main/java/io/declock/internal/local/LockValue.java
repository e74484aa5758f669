// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.GrantKind;
import io.declock.internal.protocol.CqlEnvironment;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.protocol.Effects;
import io.declock.spi.GrantedValue;
import io.declock.spi.StoredValue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What this process knows of the value of one guarded lock (docs/guarded-values.md; rules V4 and V5 of docs/protocol.md). Guarded by the lock's mutex, so that it
 * changes hands together with the lock.
 */
public final class LockValue {
    /** After so many positions in a row that had to wait, the next one is expected to wait, too. */
    private static final int EXPECTS_AFTER = 2;

    private @Nullable Copy copy;
    /** The position for which a store has ended without an answer, so that it may yet be executed. */
    private @Nullable Copy unanswered;

    private CompletableFuture<Boolean> writing = CompletableFuture.completedFuture(true);
    private final List<CompletableFuture<Boolean>> awaiting = new ArrayList<>(0);
    /** How many positions in a row had to wait for the lock. */
    private int waits;

    LockValue() {}

    /**
     * A value, and the position under which this process has read or written it, or was told of it (rule V4).
     *
     * @param session session of the position
     * @param epoch its full epoch
     * @param index its queue index
     * @param value the value, or null if there is none
     */
    public record Copy(
            CqlEnvironment session,
            long epoch,
            int index,
            @Nullable StoredValue value) {
        private static Copy of(Footing footing, @Nullable StoredValue value) {
            return new Copy(footing.session(), footing.epoch(), footing.index(), value);
        }

        private static Copy of(CqlLock side, @Nullable StoredValue value) {
            return new Copy(side.environment(), side.epoch(), side.index(), value);
        }

        private boolean isOf(CqlEnvironment inSession, long inEpoch, int atIndex) {
            return session == inSession && epoch == inEpoch && index == atIndex;
        }
    }

    // ---------------------------------------------------------------- the copy

    /** Returns the copy if it counts for a position, or null. */
    public @Nullable Copy copyFor(Footing footing) {
        Copy known = copy;
        return known != null && known.isOf(footing.session(), footing.epoch(), footing.index()) ? known : null;
    }

    private @Nullable Copy copyFor(CqlLock side) {
        Copy known = copy;
        return known != null && known.isOf(side.environment(), side.epoch(), side.index()) ? known : null;
    }

    /** The memory node has shown the value to this process, or has stored it, for a position. */
    public void learn(Footing footing, @Nullable StoredValue value) {
        copy = Copy.of(footing, value);
    }

    // ---------------------------------------------------------------- storing

    /** Returns whether a value is being stored, so that nobody may read the copy or store another one. */
    public boolean isBusy() {
        return !writing.isDone();
    }

    /** Returns what completes when no value is being stored any more. */
    public CompletableFuture<Boolean> writing() {
        return writing;
    }

    /** A value is being stored until that is completed. */
    public void beginWriting(CompletableFuture<Boolean> until) {
        writing = until;
    }

    /** The memory node has stored the value that was sent to it. */
    public void stored(Footing footing, @Nullable StoredValue value) {
        copy = Copy.of(footing, value);
        unanswered = null;
    }

    /** The memory node has refused to store a value. */
    public void refused() {
        copy = null;
    }

    /** Whether the memory node has stored a value, or will, is not known. */
    public void unanswered(Footing footing) {
        copy = null;
        unanswered = Copy.of(footing, null);
    }

    // ---------------------------------------------------------------- the value in grants

    /** Returns what may be told to the successors of the present position, or null (rule V5). */
    @Nullable
    GrantedValue toTell(CqlLock side) {
        Copy known = isConfirmed() ? copyFor(side) : null;
        return known == null ? null : new GrantedValue(known.value);
    }

    /** Returns whether the memory node has confirmed every store. */
    private boolean isConfirmed() {
        return !isBusy();
    }

    /** Returns whether the memory node may yet store a value for the present position. */
    boolean mayStoreYet(CqlLock side) {
        Copy open = unanswered;
        return isBusy() || open != null && open.isOf(side.environment(), side.epoch(), side.index());
    }

    /** The grant of the present position tells of the value. */
    void told(CqlLock side, GrantedValue value) {
        copy = Copy.of(side, value.stored());
    }

    // ---------------------------------------------------------------- reading ahead

    /** A position was granted the lock. */
    void granted(GrantKind kind) {
        waits = kind == GrantKind.UNCONTENDED ? 0 : Math.min(waits + 1, EXPECTS_AFTER);
    }

    /**
     * Returns whether it is worth asking for the value before a caller is granted the lock. Not if it is known, and not if the caller will probably wait: then its grant
     * will tell of the value, or it is read after the grant.
     */
    boolean isWorthReading(CqlLock side) {
        return switch (side.state()) {
            case HELD -> copyFor(side) == null;
            case WAITING -> false;
            default -> waits < EXPECTS_AFTER;
        };
    }

    // ---------------------------------------------------------------- waiting for the lock to settle

    /** Completes a future when a reset, a conversion or the like is over, if it is not completed before. */
    public void awaitSettled(CompletableFuture<Boolean> due) {
        awaiting.removeIf(CompletableFuture::isDone);
        awaiting.add(due);
    }

    void settled(Effects effects) {
        if (!awaiting.isEmpty()) {
            List<CompletableFuture<Boolean>> due = List.copyOf(awaiting);
            awaiting.clear();
            effects.run(() -> due.forEach(each -> each.complete(true)));
        }
    }
}
