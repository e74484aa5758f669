// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi.election;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** An engine in the memory of this process, for tests of what uses one: it can be made unreachable. */
public final class MemoryEngine implements ElectionEngine {
    private final Shared shared;
    private final AtomicBoolean reachable = new AtomicBoolean(true);
    private final AtomicBoolean closed = new AtomicBoolean();

    /** What all clients share. */
    public static final class Shared {
        private final ReentrantLock lock = new ReentrantLock();
        private final Map<String, Entry> entries = new HashMap<>();
        private final Map<String, Runnable> watchers = new HashMap<>();
    }

    private static final class Entry {
        long term;
        String candidate = "";
        boolean running;
        long until;
        final Map<String, byte[]> kept = new HashMap<>();

        boolean isRunning() {
            return running && until - System.nanoTime() > 0;
        }
    }

    /** Makes a client. */
    public MemoryEngine(Shared shared) {
        this.shared = shared;
    }

    /** Sets whether this client reaches the engine. */
    public void reachable(boolean on) {
        reachable.set(on);
    }

    @Override
    public String title() {
        return "the engine in memory";
    }

    private interface Step<T> {
        T on(Entry entry);
    }

    private <T> T attempt(String memoryNode, Step<T> step) throws ElectionException {
        if (closed.get() || !reachable.get()) {
            throw new ElectionException("the engine in memory is out of reach", null);
        }
        shared.lock.lock();
        try {
            return step.on(shared.entries.computeIfAbsent(memoryNode, any -> new Entry()));
        } finally {
            shared.lock.unlock();
        }
    }

    @Override
    public Answer acquire(String memoryNode, String candidate, Duration lease) throws ElectionException {
        return attempt(memoryNode, entry -> {
            if (entry.isRunning()) {
                return new Held(entry.term, entry.candidate);
            }
            entry.term++;
            entry.candidate = candidate;
            entry.running = true;
            entry.until = System.nanoTime() + lease.toNanos();
            return new Elected(entry.term, entry.kept);
        });
    }

    @Override
    public Optional<Held> look(String memoryNode) throws ElectionException {
        return attempt(
                memoryNode,
                entry -> entry.isRunning() ? Optional.of(new Held(entry.term, entry.candidate)) : Optional.empty());
    }

    @Override
    public boolean renew(String memoryNode, long term, Duration lease) throws ElectionException {
        return attempt(memoryNode, entry -> {
            boolean mine = entry.term == term && entry.running;
            if (mine) {
                entry.until = System.nanoTime() + lease.toNanos();
            }
            return mine;
        });
    }

    @Override
    public boolean keep(String memoryNode, long term, Map<String, Optional<byte[]>> changes) throws ElectionException {
        return attempt(memoryNode, entry -> {
            boolean mine = entry.term == term && entry.running;
            if (mine) {
                changes.forEach((name, value) ->
                        value.ifPresentOrElse(bytes -> entry.kept.put(name, bytes), () -> entry.kept.remove(name)));
            }
            return mine;
        });
    }

    @Override
    public void resign(String memoryNode, long term) throws ElectionException {
        @Nullable
        Runnable watcher = attempt(memoryNode, entry -> {
            boolean mine = entry.term == term && entry.running;
            if (mine) {
                entry.running = false;
            }
            return mine ? shared.watchers.get(memoryNode) : null;
        });
        if (watcher != null) {
            watcher.run();
        }
    }

    @Override
    public void watch(String memoryNode, Runnable mayHaveEnded) {
        shared.lock.lock();
        try {
            shared.watchers.merge(memoryNode, mayHaveEnded, (one, two) -> () -> {
                one.run();
                two.run();
            });
        } finally {
            shared.lock.unlock();
        }
    }

    @Override
    public void close() {
        closed.set(true);
    }
}
