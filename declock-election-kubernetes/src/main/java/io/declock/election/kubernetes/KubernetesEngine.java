// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.election.kubernetes;

import io.declock.spi.election.ElectionEngine;
import io.declock.spi.election.ElectionException;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * Kubernetes as an engine. Each memory node has two objects of the same name: a {@code Lease}, which says who has the present term, and a
 * {@code ConfigMap} with what is kept and the number of the last term that read it. Each write names the version of the object that it
 * changes, so that only one of two writes is made.
 *
 * <p>No server judges a {@code Lease}: a client takes it over if it has seen the same version for as long as the lease lasts, by its own
 * clock, as the leader elections of Kubernetes' own components do. A term begins with the write to the {@code Lease}, and has to write its
 * number to the {@code ConfigMap} before it is used: from then on the term before it can change nothing more. {@link Election} begins
 * terms; this class changes what they have, and ends them. Thread-safe.
 */
final class KubernetesEngine implements ElectionEngine {
    private static final int TRIES = 5;

    private final ApiServer server;
    private final Duration timeout;
    private final LongSupplier clock;
    private final OwnTerms own = new OwnTerms();
    private final Election election;
    private final LeaseWatch watch;

    KubernetesEngine(KubernetesClient client, String namespace, String prefix, Duration timeout, LongSupplier clock) {
        this.server = new ApiServer(client, namespace, prefix);
        this.timeout = timeout;
        this.clock = clock;
        LeaseSightings sightings = new LeaseSightings(clock);
        this.election = new Election(sightings, own);
        this.watch = new LeaseWatch(server, sightings);
    }

    @Override
    public String title() {
        return server.title();
    }

    private Attempt attempt(String what, String memoryNode) {
        return new Attempt(server, timeout, clock, what, memoryNode);
    }

    // ---------------------------------------------------------------- elections

    @Override
    public Answer acquire(String memoryNode, String candidate, Duration lease)
            throws ElectionException, InterruptedException {
        Attempt attempt = attempt("The election of a candidate", memoryNode);
        for (int i = 0; i < TRIES; i++) {
            Optional<Answer> answer = election.tryOnce(attempt, candidate, lease);
            if (answer.isPresent()) {
                return answer.get();
            }
        }
        throw attempt.failed("other candidates began and ended terms meanwhile", null);
    }

    @Override
    public Optional<Held> look(String memoryNode) throws ElectionException, InterruptedException {
        return election.look(attempt("Looking who serves", memoryNode), timeout.multipliedBy(4));
    }

    @Override
    public void watch(String memoryNode, Runnable mayHaveEnded) {
        watch.watch(memoryNode, mayHaveEnded);
    }

    // ---------------------------------------------------------------- the terms of this client

    @Override
    public boolean renew(String memoryNode, long term, Duration lease) throws ElectionException, InterruptedException {
        return changeLease(
                attempt("The renewal of term " + term, memoryNode),
                term,
                present -> LeaseContent.renewed(present, lease));
    }

    @Override
    public void resign(String memoryNode, long term) throws ElectionException, InterruptedException {
        Attempt attempt = attempt("The end of term " + term, memoryNode);
        try {
            changeLease(attempt, term, LeaseContent::resigned);
        } finally {
            own.end(memoryNode, term);
        }
    }

    /** Changes the Lease of a term of this client. Returns false if the term is over. */
    private boolean changeLease(Attempt attempt, long term, UnaryOperator<Lease> change)
            throws ElectionException, InterruptedException {
        OwnTerms.OwnTerm mine = own.find(attempt.memoryNode(), term);
        if (mine == null) {
            return false;
        }
        for (int i = 0; i < TRIES; i++) {
            Lease present = mine.lease == null ? attempt.lease() : mine.lease;
            if (present == null
                    || LeaseContent.term(present) != term
                    || LeaseContent.holder(present).isEmpty()) {
                own.end(attempt.memoryNode(), term);
                return false;
            }
            // Not known any more if this fails.
            mine.lease = null;
            mine.lease = attempt.write(change.apply(present));
            if (mine.lease != null) {
                return true;
            }
        }
        throw attempt.failed("something else changes the Lease '" + attempt.name() + "' all the time", null);
    }

    @Override
    public boolean keep(String memoryNode, long term, Map<String, Optional<byte[]>> changes)
            throws ElectionException, InterruptedException {
        OwnTerms.OwnTerm mine = own.find(memoryNode, term);
        if (mine == null) {
            return false;
        }
        Attempt attempt = attempt("Writing the members", memoryNode);
        for (int i = 0; i < TRIES; i++) {
            ConfigMap present = mine.kept == null ? attempt.kept() : mine.kept;
            if (present == null) {
                throw attempt.failed("its ConfigMap '" + attempt.name() + "' is gone; restore it", null);
            }
            if (KeptContent.lastTerm(present) != term) {
                return false;
            }
            mine.kept = null;
            mine.kept = attempt.write(KeptContent.changed(present, changes));
            if (mine.kept != null) {
                return true;
            }
        }
        throw attempt.failed("something else changes the ConfigMap '" + attempt.name() + "' all the time", null);
    }

    @Override
    public void close() {
        server.refuse();
        watch.close();
        server.close();
    }
}
