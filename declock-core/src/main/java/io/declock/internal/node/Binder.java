// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.ComputeNodeSettings;
import io.declock.MemoryNodeRefusedException;
import io.declock.internal.local.LocalLock;
import io.declock.internal.monitor.Isolated;
import io.declock.internal.protocol.CqlEnvironment;
import io.declock.internal.session.MemoryNodeLink;
import io.declock.internal.session.NodeSession;
import io.declock.internal.session.StageFailure;
import io.declock.internal.time.TimerService;
import io.declock.spi.FabricException;
import io.declock.spi.NodeList;
import io.declock.spi.NodeSet;
import io.declock.spi.Resolution;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maps names to memory nodes and binds locks to their records there. Every lock that asks to be bound is bound, is told why not, or is in
 * the set of those that wait. Names map to stable ids, so they can be mapped while some memory nodes were never joined. Thread-safe.
 */
final class Binder {
    private static final Logger log = LoggerFactory.getLogger(Binder.class);
    private static final long NOT_YET_RETRY_NANOS = 100_000_000L;

    private final ComputeNodeSettings settings;
    private final LockTable table;
    private final MemoryNodeLinks links;
    private final Unavailability unavailability;
    private final TimerService timer;
    /** The locks that wait for a session, by name. */
    private final Map<String, LocalLock> unbound = new ConcurrentHashMap<>();

    /** How names map to memory nodes, once every session has declared the set of these. */
    private volatile @Nullable Mapping mapping;

    Binder(
            ComputeNodeSettings settings,
            LockTable table,
            MemoryNodeLinks links,
            Unavailability unavailability,
            TimerService timer) {
        this.settings = settings;
        this.table = table;
        this.links = links;
        this.unavailability = unavailability;
        this.timer = timer;
    }

    // ---------------------------------------------------------------- mapping names to memory nodes

    /** Returns a name with its namespace. */
    String fullName(String name) {
        return settings.namespace() + '\0' + name;
    }

    /** Returns whether names are mapped. */
    boolean isMapping() {
        return mapping != null;
    }

    /** Maps names by the first set of memory nodes. */
    void map(NodeSet first) {
        mapping = new Mapping(first);
    }

    /** Maps names by a list from now on; {@code then} runs when no lock is being bound by the former mapping (rule M6). */
    void map(NodeList list, Runnable then) {
        Mapping former = mapping;
        mapping = new Mapping(list);
        if (former == null) {
            then.run();
        } else {
            former.replaced(then);
        }
    }

    /**
     * Returns the link of a name's memory node, or null while it cannot be told which one that is. The session of a lock that is bound tells
     * it without a hash of the name.
     */
    @Nullable
    MemoryNodeLink linkOf(String name) {
        MemoryNodeLink only = links.only();
        if (only != null) {
            return only;
        }
        LocalLock known = table.find(name);
        CqlEnvironment bound = known == null ? null : known.session();
        for (MemoryNodeLink link : links.all()) {
            if (bound != null && bound == link.session()) {
                return link;
            }
        }
        return homeOf(name);
    }

    private @Nullable MemoryNodeLink homeOf(String name) {
        Mapping present = mapping;
        return present == null ? null : links.linkWith(present.homeOf(fullName(name)));
    }

    /** Returns the session with the memory node that a name maps to, or null. */
    @Nullable
    NodeSession homeSession(String name) {
        MemoryNodeLink link = homeOf(name);
        NodeSession session = link == null ? null : link.session();
        return session == null || session.isOver() ? null : session;
    }

    // ---------------------------------------------------------------- binding locks to records

    void bind(LocalLock lock) {
        Mapping present = beginBinding();
        try {
            lookUp(lock, present);
        } finally {
            if (present != null) {
                present.end();
            }
        }
    }

    /** Asks for the lock's record by a mapping, which is not replaced before the request is sent. */
    private void lookUp(LocalLock lock, @Nullable Mapping present) {
        MemoryNodeLink link = linkOf(lock.name());
        NodeSession session = link == null || present == null ? null : link.session();
        if (present == null
                || link == null
                || session == null
                || !present.mayAsk(fullName(lock.name()), session.declaredList())) {
            bindLater(lock, link);
            return;
        }
        CompletableFuture<Resolution> answer;
        try {
            answer = session.unregistered().resolve(fullName(lock.name()));
        } catch (RuntimeException | Error e) {
            log.error("Looking {} up at memory node {} failed; trying again", lock.title(), link.address(), e);
            notResolved(lock, link, session, e);
            return;
        }
        answer.whenComplete((resolution, failure) -> {
            if (failure == null) {
                link.sawEpoch(resolution.epoch());
                session.locks().register(resolution.record(), lock);
                session.unregistered().resolved(answer);
                attach(lock, link, session, resolution, present);
            } else {
                session.unregistered().resolved(answer);
                notResolved(lock, link, session, failure);
            }
        });
    }

    /**
     * Binds a lock, unless names are mapped by another list by now: the memory node may have given the name up since it answered, even if the name has
     * come back. Going over to a list does not wait for answers, because a memory node may give one only when this process has gone over.
     */
    private void attach(
            LocalLock lock, MemoryNodeLink link, NodeSession session, Resolution resolution, Mapping askedBy) {
        Mapping present = Objects.requireNonNull(beginBinding(), "the lock was looked up by a mapping");
        try {
            if (session.isOver() || !present.is(askedBy)) {
                session.locks().unregister(resolution.record(), lock);
                bindLater(lock, link);
                return;
            }
            lock.bound(session, resolution);
        } finally {
            present.end();
        }
        // The session may have ended after the check above, and notified only the locks that were bound by then.
        session.loseIfOver(resolution.record(), lock);
    }

    /** Returns the present mapping, which is not replaced until its end is told, or null if there is none. */
    private @Nullable Mapping beginBinding() {
        while (true) {
            Mapping present = mapping;
            if (present == null) {
                return null;
            }
            present.begin();
            if (mapping == present) {
                return present;
            }
            present.end();
        }
    }

    private void notResolved(LocalLock lock, MemoryNodeLink link, NodeSession session, Throwable failure) {
        Throwable cause = StageFailure.unwrapped(failure);
        if (cause instanceof FabricException.Refused refused
                && !refused.reason().passes()) {
            lock.bindFailed(new MemoryNodeRefusedException(
                    "memory node " + link.memoryNodeId() + " (" + link.address() + ") refused " + lock.title() + ": "
                            + refused.getMessage(),
                    refused));
        } else if (session.isOver() || link.session() != session) {
            bindLater(lock, link);
        } else {
            lock.bindFailed(null);
            unbound.put(lock.name(), lock);
            timer.schedule(NOT_YET_RETRY_NANOS, () -> retry(lock));
        }
    }

    // ---------------------------------------------------------------- locks that wait for a session

    /** Defers the binding for lack of a session: callers wait for the next session, unless they are to fail at once. */
    private void bindLater(LocalLock lock, @Nullable MemoryNodeLink link) {
        MemoryNodeRefusedException refused = link == null ? null : unavailability.refusalBy(link);
        if (refused != null) {
            lock.bindFailed(refused);
            return;
        }
        if (settings.failFast() && unavailability.hasProblem(link)) {
            lock.bindFailed(unavailability.of(lock.name(), link));
            return;
        }
        // In this order: a retry removes the lock from the set, and has no effect while the lock counts as being bound.
        lock.bindFailed(null);
        unbound.put(lock.name(), lock);
        MemoryNodeLink present = linkOf(lock.name());
        Mapping how = mapping;
        NodeSession session = present == null ? null : present.session();
        if (session != null && how != null && how.mayAsk(fullName(lock.name()), session.declaredList())) {
            // The session began, or the list was declared, before the lock was in the set.
            retry(lock);
        }
    }

    private void retry(LocalLock lock) {
        if (unbound.remove(lock.name(), lock)) {
            Isolated.run("Binding " + lock.title(), lock::retryBinding);
        }
    }

    /**
     * Tries once to bind each lock that waits for a session. A lock that fails waits again: the session may have ended before this is called
     * at its beginning, when the answer came later than the lease lasts.
     */
    void retryUnbound() {
        List.copyOf(unbound.values()).forEach(this::retry);
    }

    /** A lock was forgotten, and waits no more. */
    void forgotten(LocalLock lock) {
        unbound.remove(lock.name(), lock);
    }
}
