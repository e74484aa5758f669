// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import io.declock.LockNames;
import io.declock.internal.memorynode.LockReport;
import io.declock.internal.memorynode.LockSummary;
import io.declock.internal.memorynode.Operator;
import io.declock.spi.LockUse;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.context.ApplicationEventPublisher;

/**
 * The locks of the memory node, for operators: which have queues, who holds one and who waits, and the end of its holds. That last operation must be
 * allowed by {@code management.endpoint.locks.access=unrestricted}. Every use of it is logged, and published as an audit event of type {@value
 * #ENDED}.
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
final class LocksEndpoint {
    static final String ENDED = "DECLOCK_HOLDS_ENDED";

    private static final Logger log = LoggerFactory.getLogger(LocksEndpoint.class);
    private static final int DEFAULT_LIMIT = 100;
    private static final int HIGHEST_LIMIT = 10_000;
    private static final int LONGEST_REASON = 500;
    /** Longer than the memory node waits for the services. */
    private static final long PATIENCE_SECONDS = 10;

    private final Supplier<Operator> operator;
    private final ApplicationEventPublisher events;

    LocksEndpoint(Supplier<Operator> operator, ApplicationEventPublisher events) {
        this.operator = operator;
        this.events = events;
    }

    /** Locks in the order of their queues' lengths. */
    record Locks(List<LockSummary> locks) {}

    /**
     * One lock.
     *
     * @param lock what its record shows
     * @param services the services that have used it lately
     * @param keptFor how long the memory node keeps it taken for a service that has left, null if it does not
     */
    record Lock(
            LockSummary lock,
            List<Service> services,
            @Nullable Duration keptFor) {}

    /**
     * A service that has used a lock lately.
     *
     * @param service name of the service
     * @param node node id and incarnation
     * @param answered false if it did not answer within a second
     * @param uses its holds and waits
     * @param more how many it has besides
     */
    record Service(String service, String node, boolean answered, List<Use> uses, int more) {}

    /**
     * A hold or a wait.
     *
     * @param state held, reserved or waiting
     * @param mode read or write
     * @param owner thread or owner
     * @param fencingToken null for a wait
     * @param age how long
     */
    record Use(
            String state,
            String mode,
            String owner,
            @Nullable Long fencingToken,
            Duration age) {
        static Use of(LockUse use) {
            return new Use(
                    use.state().name(),
                    use.mode().name(),
                    use.owner(),
                    use.token() == 0 ? null : use.token(),
                    Duration.ofNanos(use.ageNanos()));
        }
    }

    /**
     * Returns the locks with the longest queues.
     *
     * @param containing part of the names
     * @param limit how many at most, 100 by default
     */
    @ReadOperation
    Locks locks(@Nullable String containing, @Nullable Integer limit) {
        int most = limit == null ? DEFAULT_LIMIT : limit;
        if (most < 1 || most > HIGHEST_LIMIT) {
            throw new InvalidEndpointRequestException(
                    "limit is " + most + ", but must be from 1 to " + HIGHEST_LIMIT, "Bad limit");
        }
        return new Locks(operator.get().locks(containing == null ? "" : containing, most));
    }

    /** Returns who holds a lock and who waits for it, or null if there is no such lock. */
    @ReadOperation
    @Nullable
    Lock lock(@Selector String namespace, String name) {
        return described(operator.get().look(namespace, name));
    }

    /**
     * Ends the holds of a lock, as if their lease time were over.
     *
     * @param token fencing token of the youngest hold that ends, null for all holds that there are
     * @param reason told to the owners
     * @return what has ended, with status 404 if there is no such lock
     */
    @DeleteOperation
    WebEndpointResponse<Lock> endHolds(
            SecurityContext security,
            @Selector String namespace,
            String name,
            @Nullable Long token,
            @Nullable String reason) {
        Principal user = security.getPrincipal();
        String who = user == null ? "an operator" : "user '" + user.getName() + "'";
        String given =
                reason == null || reason.isBlank() ? "" : ": " + reason.strip().replaceAll("\\p{Cntrl}", "?");
        if (given.length() > LONGEST_REASON) {
            throw new InvalidEndpointRequestException(
                    "the reason has more than " + LONGEST_REASON + " characters", "Bad reason");
        }
        log.warn("{} ends holds of {} in namespace '{}'{}", who, LockNames.quoted(name), namespace, given);
        events.publishEvent(new AuditApplicationEvent(
                user == null ? "" : user.getName(),
                ENDED,
                Map.of("namespace", namespace, "lock", name, "reason", given)));
        Lock ended = described(
                operator.get().endHolds(namespace, name, token == null ? 0 : token, who + " has ended it" + given));
        return ended == null
                ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND)
                : new WebEndpointResponse<>(ended);
    }

    private static @Nullable Lock described(CompletionStage<Optional<LockReport>> report) {
        return await(report).map(LocksEndpoint::describe).orElse(null);
    }

    private static Optional<LockReport> await(CompletionStage<Optional<LockReport>> report) {
        try {
            return report.toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while the services were asked", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("The services could not be asked", e);
        }
    }

    private static Lock describe(LockReport report) {
        List<Service> services = report.users().stream()
                .map(user -> new Service(
                        user.member().name(),
                        user.member().nodeId() + "." + user.member().incarnation(),
                        user.answered(),
                        user.uses().stream().map(Use::of).toList(),
                        user.more()))
                .toList();
        return new Lock(report.lock(), services, report.inTrust().isZero() ? null : report.inTrust());
    }
}
