// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.ComputeNodeSettings;
import io.declock.MemoryNodeAddress;
import io.declock.internal.monitor.Isolated;
import io.declock.spi.Fabric;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.NodeList;
import io.declock.spi.NodeSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks a memory node to let this process join, and leads the session to its use: it must be the memory node that is meant, it must have
 * agreed to the set of memory nodes (rule C11), and what the sessions that broke off held must count in the new one (rule H3). Each attempt
 * ends with one call, {@link User#joined} or {@link User#failed}, unless it throws. When the next one may begin is the user's concern.
 * Thread-safe.
 */
final class Joiner {
    private final MemoryNodeAddress address;
    private final Fabric fabric;
    private final ComputeNodeSettings settings;
    private final Surroundings surroundings;
    private final MemoryNodeIdentity identity;
    private final Departing departing;
    private final User user;
    private final AtomicLong highestEpoch = new AtomicLong();
    private final AtomicLong attempts = new AtomicLong();

    /** The link that uses the sessions. */
    interface User {
        /** An attempt has led to a session, to which the events are still to be attached. */
        void joined(NodeSession fresh, SessionEvents events);

        /** An attempt failed. */
        void failed(Throwable failure);

        /** A session that was joined is over. */
        void lost(NodeSession session, FabricException cause);

        /** A session that was joined has no connection any more, and was not ended by the memory node. */
        void brokenOff(NodeSession session, FabricException cause);

        /** The memory node of a session that was joined proposes to reclaim records. */
        void reclaimProposed(NodeSession session, long round, long[] records);
    }

    Joiner(
            MemoryNodeAddress address,
            Fabric fabric,
            ComputeNodeSettings settings,
            Surroundings surroundings,
            MemoryNodeIdentity identity,
            Departing departing,
            User user) {
        this.address = address;
        this.fabric = fabric;
        this.settings = settings;
        this.surroundings = surroundings;
        this.identity = identity;
        this.departing = departing;
        this.user = user;
    }

    /** Remembers the highest full epoch seen, above which a restarted memory node must start. */
    void sawEpoch(long epoch) {
        highestEpoch.accumulateAndGet(epoch, Math::max);
    }

    /**
     * Makes one attempt. If it throws, it has failed and makes no call.
     *
     * @param candidates the candidates, beginning with the one to ask
     */
    void join(MemoryNodeAddress candidates) {
        new Attempt(candidates).start();
    }

    private JoinRequest request(NodeSet declared) {
        return new JoinRequest(
                // Two addresses of one memory node are a configuration error, but their sessions must not end each
                // other.
                surroundings.processId() + address.hashCode(),
                attempts.incrementAndGet(),
                settings.name(),
                fabric.peerAddress(),
                declared,
                highestEpoch.get(),
                settings.lease().toNanos(),
                identity.former(),
                !departing.isEmpty());
    }

    /** One attempt to join. */
    private final class Attempt {
        private final MemoryNodeAddress candidates;
        private final KnownNodeSet known = surroundings.nodeSet();
        private final SessionEvents events = new SessionEvents(
                user::lost, user::brokenOff, user::reclaimProposed, known::learn, surroundings.inquiries());
        private final long sentAt = surroundings.clock().nanoTime();
        private final JoinRequest request;

        Attempt(MemoryNodeAddress candidates) {
            this.candidates = candidates;
            // A list is declared when it is known which one the memory node has.
            this.request = request(known.list().isNone() ? known.get() : NodeSet.NONE);
        }

        void start() {
            fabric.join(candidates, request, events).whenComplete((joined, failure) -> {
                if (failure == null) {
                    established(joined);
                } else {
                    user.failed(failure);
                }
            });
        }

        private void established(FabricSession joined) {
            NodeSession fresh;
            try {
                FabricException.Refused unfit = unfit(joined);
                if (unfit != null) {
                    user.failed(unfit);
                    joined.control().leave();
                    joined.close();
                    return;
                }
                fresh = new NodeSession(joined, settings, surroundings, sentAt, Joiner.this::sawEpoch, user::lost);
            } catch (RuntimeException | Error e) {
                user.failed(e);
                joined.close();
                return;
            }
            new Admission(fresh, events, request.moves()).agree(request.nodeSet());
        }

        /** Returns why the process must not stay joined to this memory node, or null. */
        private FabricException.@Nullable Refused unfit(FabricSession joined) {
            FabricException.Refused another =
                    identity.refusalOf(candidates, joined.joined().memoryNodeId());
            return another != null ? another : known.learn(address, joined.joined());
        }
    }

    /** What a session has to go through between the memory node's answer and its use. */
    private final class Admission {
        private final NodeSession fresh;
        private final SessionEvents events;
        private final boolean moves;
        private final KnownNodeSet known = surroundings.nodeSet();

        /**
         * Makes one, which begins with {@link #agree}.
         *
         * @param moves whether the memory node was told that holds are to be restored
         */
        Admission(NodeSession fresh, SessionEvents events, boolean moves) {
            this.fresh = fresh;
            this.events = events;
            this.moves = moves;
        }

        /** If the set of memory nodes is known, the memory node must have agreed to it (rule C11). */
        void agree(NodeSet declared) {
            NodeList list = known.list();
            if (!list.isNone()) {
                if (known.used() == list.number() && fresh.declaredList() < list.number()) {
                    declareList(list, () -> agree(declared));
                } else {
                    agreed();
                }
                return;
            }
            NodeSet set = known.get();
            if (set.size() <= 1 || set.equals(declared)) {
                fresh.declaredSet(set);
                agreed();
            } else {
                // Learnt after the request was sent, perhaps from its answer.
                declare(set);
            }
        }

        private void declare(NodeSet set) {
            Consumer<@Nullable Throwable> answered = answerOf(() -> agree(set));
            try {
                fresh.fabric().control().declareNodeSet(set).whenComplete((ok, failure) -> answered.accept(failure));
            } catch (RuntimeException | Error e) {
                answered.accept(e);
            }
        }

        /** Tells the memory node of a list that it does not have yet; the session has taken nothing there. */
        private void declareList(NodeList list, Runnable declared) {
            Consumer<@Nullable Throwable> answered = answerOf(() -> {
                fresh.declaredList(list.number());
                declared.run();
            });
            fresh.fabric().control().declareNodes(list).whenComplete((ok, failure) -> answered.accept(failure));
        }

        private void agreed() {
            if (moves) {
                move();
            } else {
                user.joined(fresh, events);
            }
        }

        /** Restores the holds of the sessions that broke off; only then the session is used, whose holds they are from now on. */
        private void move() {
            List<NodeSession> former = departing.sessions();
            AtomicReference<@Nullable Move> moving = new AtomicReference<>();
            Consumer<@Nullable Throwable> answered = answerOf(() -> {
                departing.haveMoved(former);
                user.joined(fresh, events);
                Move moved = moving.get();
                if (moved != null) {
                    moved.awaitGrace();
                }
            });
            Move move = new Move(fresh, former, settings.namespace(), answered);
            moving.set(move);
            move.start();
        }

        /**
         * Returns what takes the end of a step between joining and the session's use: goes on, or gives the session up. No heartbeat is
         * sent yet, so nothing else would notice that the memory node is silent.
         */
        private Consumer<@Nullable Throwable> answerOf(Runnable then) {
            AtomicBoolean open = new AtomicBoolean(true);
            Consumer<@Nullable Throwable> answered = failure -> {
                if (!open.compareAndSet(true, false)) {
                    return;
                }
                if (failure == null) {
                    then.run();
                } else if (moves) {
                    giveUp(failure);
                } else {
                    leave(failure);
                }
            };
            surroundings
                    .timer()
                    .schedule(
                            Math.max(0, fresh.leaseLeftNanos()),
                            () -> answered.accept(new FabricException(address + " did not answer within the lease")));
            return answered;
        }

        /** Ends a session that is not in use and has no holds. */
        private void leave(Throwable failure) {
            Isolated.run(
                    "Leaving memory node " + address,
                    () -> fresh.fabric().control().leave());
            user.failed(failure);
            fresh.fabric().close();
        }

        /**
         * Gives up a session to which holds were to be moved. It does not leave: perhaps the memory node counts them already, and relies on
         * this process not to hold them without that session.
         */
        private void giveUp(Throwable failure) {
            Throwable cause = StageFailure.unwrapped(failure);
            fresh.suspend(new FabricException(String.valueOf(cause.getMessage()), cause));
            user.failed(failure);
        }
    }
}
