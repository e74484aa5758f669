// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.election.kubernetes;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpecBuilder;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads and makes the content of a {@code Lease}: who has which term, and for how long. Stateless. */
final class LeaseContent {
    private static final long NANOS_PER_MICRO = 1_000;
    private static final String CLIENT = "declock.io/client";

    private LeaseContent() {}

    // ---------------------------------------------------------------- reading

    /** Returns the term that it was last taken for, 0 if there is none. */
    static int term(@Nullable Lease lease) {
        Integer number = lease == null || lease.getSpec() == null
                ? null
                : lease.getSpec().getLeaseTransitions();
        return number == null ? 0 : number;
    }

    /** Returns the candidate that has the term, empty if none has. */
    static String holder(@Nullable Lease lease) {
        String holder = lease == null || lease.getSpec() == null
                ? null
                : lease.getSpec().getHolderIdentity();
        return holder == null ? "" : holder;
    }

    /** Returns how long the term lasts without a renewal, {@code otherwise} if nothing says so. */
    static Duration lasts(@Nullable Lease lease, Duration otherwise) {
        Integer seconds = lease == null ? null : lease.getSpec().getLeaseDurationSeconds();
        return seconds == null ? otherwise : Duration.ofSeconds(seconds);
    }

    /** Returns whether a client took it. */
    static boolean isOf(String client, Lease lease) {
        Map<String, String> annotations = lease.getMetadata().getAnnotations();
        return client.equals(annotations.get(CLIENT));
    }

    // ---------------------------------------------------------------- making

    /**
     * Returns one that a client has taken for a candidate's term.
     *
     * @param before what it replaces, with its version, or null for the first
     * @param fresh metadata of the first
     */
    static Lease taken(
            @Nullable Lease before, ObjectMeta fresh, String client, String candidate, Duration lasts, int term) {
        ZonedDateTime now = after(before);
        LeaseSpec spec = new LeaseSpecBuilder()
                .withHolderIdentity(candidate)
                .withLeaseDurationSeconds(secondsOf(lasts))
                .withAcquireTime(now)
                .withRenewTime(now)
                .withLeaseTransitions(term)
                .build();
        return new LeaseBuilder()
                .withMetadata(new ObjectMetaBuilder(before == null ? fresh : before.getMetadata())
                        .addToAnnotations(CLIENT, client)
                        .build())
                .withSpec(spec)
                .build();
    }

    static Lease renewed(Lease before, Duration lasts) {
        LeaseSpec spec = new LeaseSpecBuilder(before.getSpec())
                .withLeaseDurationSeconds(secondsOf(lasts))
                .withRenewTime(after(before))
                .build();
        return new LeaseBuilder(before).withSpec(spec).build();
    }

    static Lease resigned(Lease before) {
        LeaseSpec spec = new LeaseSpecBuilder(before.getSpec())
                .withHolderIdentity("")
                .withRenewTime(after(before))
                .build();
        return new LeaseBuilder(before).withSpec(spec).build();
    }

    private static int secondsOf(Duration lease) {
        return Math.toIntExact(lease.plusNanos(999_999_999).toSeconds());
    }

    /**
     * Returns the present time, or one that is later than the last renewal: a write that changes nothing makes no new version, and those
     * who watch would think that nobody renews.
     */
    private static ZonedDateTime after(@Nullable Lease before) {
        Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);
        ZonedDateTime last = before == null || before.getSpec() == null
                ? null
                : before.getSpec().getRenewTime();
        if (last != null && !now.isAfter(last.toInstant())) {
            now = last.toInstant().plusNanos(NANOS_PER_MICRO);
        }
        return now.atZone(ZoneOffset.UTC);
    }
}
