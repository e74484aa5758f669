// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.election.kubernetes;

import static io.declock.election.kubernetes.KeptContent.lastTerm;
import static io.declock.election.kubernetes.LeaseContent.holder;

import io.declock.spi.election.ElectionEngine.Answer;
import io.declock.spi.election.ElectionEngine.Elected;
import io.declock.spi.election.ElectionEngine.Held;
import io.declock.spi.election.ElectionException;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Judges whether a term runs, and begins the next one for a candidate: with a write to the {@code Lease}, and then with one to the {@code
 * ConfigMap}. Thread-safe.
 */
final class Election {
    private final LeaseSightings sightings;
    private final OwnTerms own;
    private final String client = UUID.randomUUID().toString();

    Election(LeaseSightings sightings, OwnTerms own) {
        this.sightings = sightings;
        this.own = own;
    }

    // ---------------------------------------------------------------- who has the term

    /**
     * Returns who has the present term, nothing if none runs.
     *
     * @param otherwise how long a term lasts that does not say so
     */
    Optional<Held> look(Attempt attempt, Duration otherwise) throws ElectionException, InterruptedException {
        Lease present = attempt.lease();
        LeaseSightings.Sighting seen = sightings.note(attempt.memoryNode(), present);
        ConfigMap kept = present == null ? attempt.kept() : null;
        return runs(seen, present, kept, otherwise) ? Optional.of(held(present, kept)) : Optional.empty();
    }

    /**
     * Returns whether a term may have a lease. A Lease that somebody has deleted says nothing of the term that had it: its candidate still
     * counts on it.
     */
    private boolean runs(
            LeaseSightings.Sighting seen, @Nullable Lease lease, @Nullable ConfigMap kept, Duration otherwise) {
        if (lease == null ? lastTerm(kept) == 0 : holder(lease).isEmpty()) {
            return false;
        }
        return sightings.isWithin(LeaseContent.lasts(lease, otherwise), seen);
    }

    private static Held held(@Nullable Lease lease, @Nullable ConfigMap kept) {
        if (lease == null && kept != null) {
            return new Held(lastTerm(kept), KeptContent.candidate(kept));
        }
        return new Held(LeaseContent.term(lease), holder(lease));
    }

    /**
     * Returns whether the term is one of this client whose election or resignation had an unknown outcome, so that nobody uses it. It would
     * last as long as its lease.
     */
    private boolean isStray(Attempt attempt, Lease present) {
        return LeaseContent.isOf(client, present) && own.find(attempt.memoryNode(), LeaseContent.term(present)) == null;
    }

    // ---------------------------------------------------------------- the next term

    /** Returns nothing if others changed the objects meanwhile. */
    Optional<Answer> tryOnce(Attempt attempt, String candidate, Duration lease)
            throws ElectionException, InterruptedException {
        Lease present = attempt.lease();
        LeaseSightings.Sighting seen = sightings.note(attempt.memoryNode(), present);
        if (present != null && !isStray(attempt, present) && runs(seen, present, null, lease)) {
            return Optional.of(held(present, null));
        }
        ConfigMap kept = attempt.kept();
        if (present == null && runs(seen, null, kept, lease)) {
            return Optional.of(held(null, kept));
        }
        if (kept == null) {
            kept = makeKept(attempt, present);
        }
        return kept == null ? Optional.empty() : take(attempt, candidate, lease, present, kept);
    }

    /** Makes the first ConfigMap. Returns null if somebody else has made it meanwhile. */
    private static @Nullable ConfigMap makeKept(Attempt attempt, @Nullable Lease present)
            throws ElectionException, InterruptedException {
        if (LeaseContent.term(present) > 0) {
            throw attempt.failed(
                    "its ConfigMap '" + attempt.name() + "' is gone, with the list of the services that may hold locks."
                            + " Restore it, or, when every service has ended or has been without this memory node for"
                            + " as long as its lease, delete the Lease of the same name too: then all begins anew",
                    null);
        }
        return attempt.write(KeptContent.empty(attempt.fresh()));
    }

    private Optional<Answer> take(
            Attempt attempt, String candidate, Duration lease, @Nullable Lease present, ConfigMap kept)
            throws ElectionException, InterruptedException {
        int term = Math.max(LeaseContent.term(present), lastTerm(kept)) + 1;
        OwnTerms.OwnTerm mine = own.begin(attempt.memoryNode(), term);
        boolean elected = false;
        try {
            mine.lease = attempt.write(LeaseContent.taken(present, attempt.fresh(), client, candidate, lease, term));
            elected = mine.lease != null && begin(attempt, candidate, term, mine, kept);
            ConfigMap written = mine.kept;
            return elected && written != null
                    ? Optional.of(new Elected(term, KeptContent.values(written)))
                    : Optional.empty();
        } finally {
            if (!elected) {
                own.end(attempt.memoryNode(), term, mine);
            }
        }
    }

    /**
     * Writes the term's number to what is kept, which the term before cannot change from then on. Returns false if it took so long that the
     * next term has begun, or if somebody deleted the object.
     */
    private static boolean begin(Attempt attempt, String candidate, int term, OwnTerms.OwnTerm mine, ConfigMap found)
            throws ElectionException, InterruptedException {
        ConfigMap kept = found;
        while (kept != null && lastTerm(kept) < term) {
            mine.kept = attempt.write(KeptContent.begun(kept, term, candidate));
            if (mine.kept != null) {
                return true;
            }
            kept = attempt.kept();
        }
        return false;
    }
}
