// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.DecLockException;
import io.declock.LockNames;
import io.declock.LockView;
import io.declock.MemoryNodeRefusedException;
import io.declock.MemoryNodeView;
import io.declock.internal.node.ComputeNode;
import io.declock.internal.node.ManagedComponent;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the lifecycle beans of the managed parts. Thread-safe. */
final class NodeLifecycles {
    private static final Logger LOG = LoggerFactory.getLogger(NodeLifecycles.class);
    private static final int MOST_NAMED = 10;

    private final DecLockNode node;
    private final @Nullable EmbeddedMemoryNode embedded;
    private final DecLockProperties.Startup startup;
    private final DecLockProperties.Shutdown shutdown;

    NodeLifecycles(DecLockNode node, @Nullable EmbeddedMemoryNode embedded, DecLockProperties properties) {
        this.node = node;
        this.embedded = embedded;
        this.startup = properties.startup();
        this.shutdown = properties.shutdown();
    }

    /** The embedded memory node, if there is one. */
    PhasedLifecycle memoryNode() {
        return new PhasedLifecycle(
                "memory-node",
                PhasedLifecycle.MEMORY_NODE,
                () -> {
                    if (embedded != null) {
                        embedded.start();
                    }
                },
                () -> {
                    if (embedded != null) {
                        embedded.stop();
                    }
                });
    }

    /** The sessions with the memory nodes: joined at start, left at stop. */
    PhasedLifecycle sessions() {
        return new PhasedLifecycle("sessions", PhasedLifecycle.SESSIONS, this::join, node::stop);
    }

    /** One of the compute node's components. */
    PhasedLifecycle component(String name) {
        return new PhasedLifecycle(
                name,
                PhasedLifecycle.COMPONENTS,
                () -> component(node.start(), name).start().run(),
                () -> {
                    ComputeNode current = node.current();
                    if (current != null) {
                        component(current, name).stop().run();
                    }
                });
    }

    /** The gate: at stop, it refuses new acquisitions and waits for the holders. */
    PhasedLifecycle gate() {
        return new PhasedLifecycle("gate", PhasedLifecycle.GATE, () -> {}, this::drain);
    }

    private static ManagedComponent component(ComputeNode node, String name) {
        return node.components().stream()
                .filter(component -> component.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("The compute node has no component '" + name + "'"));
    }

    private void join() {
        ComputeNode started = node.start();
        try {
            if (started.awaitReady(startup.timeout())) {
                return;
            }
        } catch (MemoryNodeRefusedException e) {
            throw embedded != null && embedded.isElsewhere()
                    ? new EmbeddedPortTakenException(embedded.port(), e.getMessage(), e)
                    : e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DecLockException("Interrupted while the memory nodes were joined", e);
        }
        List<MemoryNodeView> missing = started.monitor().memoryNodes().stream()
                .filter(view -> view.state() != MemoryNodeView.State.UP)
                .toList();
        notJoined(missing);
    }

    private void notJoined(List<MemoryNodeView> missing) {
        String problems = missing.stream()
                .map(view ->
                        view.address() + (view.problem().isEmpty() ? " (no answer yet)" : " (" + view.problem() + ")"))
                .collect(Collectors.joining(", "));
        if (embedded != null && embedded.isElsewhere()) {
            throw new EmbeddedPortTakenException(embedded.port(), problems, null);
        }
        if (startup.required()) {
            throw new MemoryNodesMissingException(problems, startup.timeout());
        }
        LOG.warn(
                "After {} these memory nodes are not joined: {}. Their locks cannot be acquired until they are joined; joining continues.",
                text(startup.timeout()),
                problems);
    }

    private void drain() {
        ComputeNode current = node.current();
        if (current == null) {
            return;
        }
        current.stopAccepting();
        try {
            if (!current.awaitIdle(shutdown.timeout())) {
                LOG.warn(
                        "After {} these locks are still held: {}. Their holders lose them now, and they are granted to others when the"
                                + " lease has expired.",
                        text(shutdown.timeout()),
                        current.monitor().locks(MOST_NAMED).stream()
                                .filter(view -> view.state() == LockView.State.HELD)
                                .map(view -> LockNames.quoted(view.name()) + " by " + view.owner())
                                .distinct()
                                .collect(Collectors.joining(", ")));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String text(Duration duration) {
        return duration.toMillis() + " ms";
    }
}
