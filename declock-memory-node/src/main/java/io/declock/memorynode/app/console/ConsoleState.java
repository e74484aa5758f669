// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app.console;

import io.declock.internal.memorynode.LockActivity;
import io.declock.internal.memorynode.LockSummary;
import io.declock.internal.memorynode.MemoryNodeStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the console's page asks for each second. One lock is shown, and its holds are ended, by the Actuator endpoint {@code locks}. */
class ConsoleState {
    private static final int MOST_LOCKS = 200;

    private final ConsoleSource source;
    private final ConsoleSampler sampler;
    private final LocksAccess access;

    ConsoleState(ConsoleSource source, ConsoleSampler sampler, LocksAccess access) {
        this.source = source;
        this.sampler = sampler;
        this.access = access;
    }

    /**
     * The memory node at one moment.
     *
     * @param at when, in milliseconds since 1970
     * @param id stable id
     * @param incarnation incarnation, in hexadecimal digits
     * @param role serving, standing by or deposed
     * @param serving whether services may join
     * @param recordsInUse locks that have a record
     * @param recordsTotal records that there are
     * @param queueCapacity entries of each queue
     * @param sessions services
     * @param samples the last minutes
     * @param waiting locks with the longest queues
     * @param hottest locks that were used most in the last second
     * @param locksPath path of the endpoint {@code locks}, null if it is not exposed
     * @param cannotEnd why this user cannot end holds, empty if this user can
     */
    record State(
            long at,
            String id,
            String incarnation,
            String role,
            boolean serving,
            long recordsInUse,
            long recordsTotal,
            int queueCapacity,
            List<Session> sessions,
            List<ConsoleSampler.Sample> samples,
            List<LockSummary> waiting,
            List<LockActivity> hottest,
            @Nullable String locksPath,
            String cannotEnd) {}

    /**
     * A service's session.
     *
     * @param service name
     * @param node node id and incarnation
     * @param address where other services reach it, empty if they do not
     * @param connected whether it has a connection
     * @param leaseLeftMillis rest of its lease
     * @param records records that it has created
     */
    record Session(String service, String node, String address, boolean connected, long leaseLeftMillis, long records) {
        static Session of(MemoryNodeStatus.Session session) {
            return new Session(
                    session.member().name(),
                    session.member().nodeId() + "." + session.member().incarnation(),
                    session.member().peerAddress(),
                    session.connected(),
                    session.leaseLeft().toMillis(),
                    session.recordsCreated());
        }
    }

    /**
     * Returns the memory node at this moment.
     *
     * @param containing only locks whose names contain this text
     * @param operator whether the user is an operator
     */
    State of(String containing, boolean operator) {
        MemoryNodeStatus status = source.status();
        ConsoleSampler.Seen seen = sampler.seen();
        return new State(
                System.currentTimeMillis(),
                status.id(),
                Long.toHexString(status.incarnation()),
                source.role(),
                status.serving(),
                status.recordsInUse(),
                status.recordsTotal(),
                status.queueCapacity(),
                status.sessions().stream().map(Session::of).toList(),
                seen.samples(),
                source.operator().locks(containing, MOST_LOCKS),
                seen.hottest().stream()
                        .filter(one -> one.lock().name().contains(containing))
                        .toList(),
                access.path(),
                access.cannotEnd(operator));
    }
}
