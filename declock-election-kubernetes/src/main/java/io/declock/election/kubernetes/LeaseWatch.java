// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.election.kubernetes;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Watches the {@code Lease}s of memory nodes: notes each renewal when it happens, and tells when a term may have ended. Thread-safe. */
final class LeaseWatch {
    private static final Logger log = LoggerFactory.getLogger(LeaseWatch.class);

    private final ApiServer server;
    private final LeaseSightings sightings;
    private final List<SharedIndexInformer<Lease>> informers = new CopyOnWriteArrayList<>();

    LeaseWatch(ApiServer server, LeaseSightings sightings) {
        this.server = server;
        this.sightings = sightings;
    }

    void watch(String memoryNode, Runnable mayHaveEnded) {
        SharedIndexInformer<Lease> informer = server.informer(memoryNode);
        informer.addEventHandler(new ResourceEventHandler<>() {
            @Override
            public void onAdd(Lease lease) {
                seen(lease);
            }

            @Override
            public void onUpdate(Lease before, Lease lease) {
                seen(lease);
            }

            @Override
            public void onDelete(Lease lease, boolean unknown) {
                mayHaveEnded.run();
            }

            // A renewal is noted when it happens, so that the lease is not counted from the next attempt on.
            private void seen(Lease lease) {
                sightings.note(memoryNode, lease);
                if (LeaseContent.holder(lease).isEmpty()) {
                    mayHaveEnded.run();
                }
            }
        });
        // It tries again for as long as this client is open.
        informer.exceptionHandler((started, failure) -> !server.isRefusing());
        informers.add(informer);
        informer.start().whenComplete((done, failure) -> {
            if (failure != null) {
                log.debug("The Lease of {} is not watched yet", memoryNode, failure);
            }
        });
    }

    void close() {
        informers.forEach(SharedIndexInformer::close);
    }
}
