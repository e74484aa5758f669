// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import io.declock.internal.election.Standing;
import io.declock.internal.election.Standing.Role;
import io.declock.internal.memorynode.MemoryNodeStatus;
import io.declock.internal.memorynode.RdmaAccess;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Health of the memory node: UP while services may join, OUT_OF_SERVICE while it waits for leases that an earlier incarnation may have granted,
 * DOWN when it does not listen, its adapter or timer stalls, or another memory node with its id runs. A full table does not make it DOWN:
 * services continue to use the records that they have. A candidate that stands by is UP while the engine answers it, else OUT_OF_SERVICE.
 */
final class MemoryNodeHealthIndicator extends AbstractHealthIndicator {
    private final MemoryNodeService service;

    MemoryNodeHealthIndicator(MemoryNodeService service) {
        super("Memory node health check failed");
        this.service = service;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        MemoryNodeStatus status = service.status();
        Standing standing = service.standing();
        if (standing != null) {
            builder.withDetail("role", Texts.role(standing.role()))
                    .withDetail("engine", service.engine())
                    .withDetail("term", standing.term())
                    .withDetail("serves", standing.serving());
            if (service.isRunning() && standing.role() != Role.SERVING) {
                standBy(builder, status, standing);
                return;
            }
            if (!standing.problem().isEmpty()) {
                builder.withDetail("engineProblem", standing.problem());
            }
        }
        RdmaAccess rdma = service.rdmaAccess();
        if (service.isRunning() && rdma != null && !rdma.isHealthy()) {
            builder.down()
                    .withDetail(
                            "problem", "the RDMA adapter no longer executes operations; see 'rdma link', and restart");
        } else if (!service.isRunning()) {
            builder.down().withDetail("problem", "the memory node does not listen");
        } else if (!status.stalled().isEmpty()) {
            builder.down().withDetail("problem", status.stalled() + "; see the log, and restart the memory node");
        } else if (!status.twin().isEmpty()) {
            builder.down().withDetail("problem", status.twin());
        } else if (!status.listProblem().isEmpty()) {
            builder.down().withDetail("problem", status.listProblem());
        } else if (status.serving()) {
            builder.up();
        } else {
            builder.outOfService()
                    .withDetail(
                            "problem",
                            "waits " + service.waitLeft().toMillis()
                                    + " ms for locks that an earlier incarnation may have granted");
        }
        if (rdma != null) {
            builder.withDetail("rdma", rdma.details());
        }
        if (!status.graceLeft().isZero()) {
            builder.withDetail(
                    "grace",
                    "waits at most " + status.graceLeft().toMillis()
                            + " ms more for services that had joined before it started again");
        }
        details(builder, status);
    }

    /** A candidate that stands by is well as long as it could be elected. */
    private void standBy(Health.Builder builder, MemoryNodeStatus status, Standing standing) {
        if (standing.problem().isEmpty()) {
            builder.up();
        } else {
            builder.outOfService().withDetail("problem", standing.problem());
        }
        builder.withDetail("id", status.id()).withDetail("port", service.port());
    }

    private void details(Health.Builder builder, MemoryNodeStatus status) {
        builder.withDetail("id", status.id())
                .withDetail("incarnation", Long.toHexString(status.incarnation()))
                .withDetail("port", service.port())
                .withDetail("tls", service.hasTls())
                .withDetail("secret", service.properties().hasSecret())
                .withDetail("services", status.sessions().size())
                .withDetail("recordsInUse", status.recordsInUse())
                .withDetail("recordsTotal", status.recordsTotal())
                .withDetail("recordsPerSession", status.recordsPerSession())
                .withDetail("mostRecordsOfOneSession", status.mostRecordsOfOneSession())
                .withDetail("queueCapacity", status.queueCapacity())
                .withDetail("regionBytes", status.regionBytes());
    }
}
