// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import io.declock.rdma.verbs.Completions;
import io.declock.rdma.verbs.VerbsBackend;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that takes completions of one device. While something is under way it polls for a while; then it asks for events,
 * polls once more (what completed before it asked makes no event), and sleeps on the completion channel.
 *
 * <p>Whoever waits for a completion of its own may take from a queue as well, see {@link CompletionQueue#take}: nobody has to be
 * woken then. So an event is asked for only where something is left that nobody waits for: by the thread before it sleeps, if a
 * handler {@linkplain Handler#needsEvent needs} one, and by whoever leaves something under way while the thread sleeps, see {@link
 * CompletionQueue#watch}. Each sees what the other did before, or is seen by it.
 *
 * <p>One thread at a time has a queue. Who finds it taken leaves what it came for to that one, which looks again after letting it go.
 *
 * <p>Queues are added and removed on the thread itself, so that none is polled that was destroyed. Thread-safe.
 */
final class CompletionLoop {
    private static final Logger LOG = LoggerFactory.getLogger(CompletionLoop.class);
    private static final int BATCH = 64;
    /** For providers whose sleep cannot be interrupted. */
    private static final int UNWAKEABLE_MILLIS = 50;

    private static final int CLOSE_SECONDS = 2;

    private final VerbsBackend backend;
    private final RdmaCounters counters;
    private final IbvCompChannel channel;
    private final long pollNanos;
    private final TaskQueue tasks;
    private final Thread thread;
    private volatile boolean closed;
    private volatile boolean ended;
    // Whether the thread sleeps or is about to, and has begun to look which handlers need an event.
    private volatile boolean asleep;
    // The thread's own.
    private final List<CompletionQueue> queues = new ArrayList<>();

    CompletionLoop(VerbsBackend backend, IbvContext context, ConnectionSettings settings, RdmaCounters counters)
            throws IOException {
        this.backend = backend;
        this.counters = counters;
        this.channel = context.createCompChannel();
        this.tasks = new TaskQueue(() -> backend.wake(channel));
        this.pollNanos = settings.pollTime().toNanos();
        this.thread =
                Thread.ofPlatform().daemon().name("declock-rdma-completions").start(this::run);
    }

    /** A completion queue and who takes what completes. */
    final class CompletionQueue implements Takers.Source {
        final IbvCQ cq;
        final Handler handler;
        private final ReentrantLock taking = new ReentrantLock();
        // Guarded by the lock.
        private final Completions completions = new Completions(BATCH);
        private boolean removed;
        // Set before trying for the lock, looked at after letting it go.
        private volatile boolean toArm;

        private CompletionQueue(IbvCQ cq, Handler handler) {
            this.cq = cq;
            this.handler = handler;
        }

        /** Lets the calling thread take what has completed, unless somebody does already; returns whether there was anything. */
        @Override
        public boolean take() {
            try {
                return tend(false);
            } catch (IOException e) {
                giveUp(e);
                return false;
            }
        }

        /** Has the loop woken by what completes from now on, and takes what has already; nothing if it is awake and will look. */
        @Override
        public void watch() {
            if (!asleep) {
                return;
            }
            if (isTaking()) {
                toArm = true;
                return;
            }
            try {
                tend(true);
            } catch (IOException e) {
                giveUp(e);
            }
        }

        /** The loop is woken to meet the same, and ends. */
        private void giveUp(IOException cause) {
            LOG.debug("The loop will meet this as well: {}", cause.getMessage());
            tasks.wake();
        }

        /** Takes, or has it done by who is taking just now; returns whether this thread found anything. */
        private boolean tend(boolean arm) throws IOException {
            if (arm) {
                toArm = true;
            }
            boolean found = false;
            boolean first = true;
            while ((first || toArm) && taking.tryLock()) {
                first = false;
                try {
                    found |= toArm ? armAndPoll() : poll(this);
                } finally {
                    taking.unlock();
                }
            }
            return found;
        }

        private boolean armAndPoll() throws IOException {
            toArm = false;
            if (removed) {
                return false;
            }
            counters.armings.increment();
            int errno = backend.requestNotify(cq);
            if (errno != 0) {
                throw new IOException("ibv_req_notify_cq returned " + errno);
            }
            boolean found = false;
            while (poll(this)) {
                found = true;
            }
            return found;
        }

        /** Returns whether the calling thread is just taking from this queue, so that a completion posts. */
        @Override
        public boolean isTaking() {
            return taking.isHeldByCurrentThread();
        }

        private void retire() {
            taking.lock();
            try {
                removed = true;
                completions.close();
            } finally {
                taking.unlock();
            }
        }
    }

    /** Takes completions, one thread at a time. */
    interface Handler {
        /** Takes completion {@code i}. */
        void completed(Completions completions, int i);

        /** Returns whether completions are to be expected soon. */
        boolean isBusy();

        /** Returns whether an event must tell of the next completion, because nobody else looks for it; also called when not busy. */
        default boolean needsEvent() {
            return true;
        }
    }

    /** Creates a queue and takes from it until it is removed. */
    CompletionQueue create(int entries, Handler handler) throws IOException {
        CompletionQueue queue = new CompletionQueue(channel.getContext().createCQ(channel, entries, 0), handler);
        execute(() -> queues.add(queue));
        return queue;
    }

    /** Stops taking from a queue and destroys it, which takes that its queue pair was destroyed; then runs something. */
    void remove(CompletionQueue queue, Runnable then) {
        execute(() -> {
            queues.remove(queue);
            queue.retire();
            try {
                queue.cq.destroyCQ();
            } catch (IOException e) {
                LOG.warn("A completion queue could not be destroyed: {}", e.getMessage());
            }
            then.run();
        });
    }

    /** Runs something short on the thread, soon; at once if that has ended. */
    void execute(Runnable task) {
        tasks.execute(task);
    }

    private void run() {
        try {
            loop();
        } catch (IOException | RuntimeException e) {
            LOG.error("The thread that takes completions ended: no RDMA operation completes any more", e);
        } finally {
            ended = true;
            tasks.end();
        }
    }

    /** Returns whether its thread has ended, for whatever reason: nothing completes any more. */
    boolean hasEnded() {
        return ended;
    }

    private void loop() throws IOException {
        long busyUntil = System.nanoTime();
        while (true) {
            tasks.run();
            if (closed && queues.isEmpty()) {
                return;
            }
            if (pollAll()) {
                busyUntil = System.nanoTime() + pollNanos;
            } else if (isBusy() && System.nanoTime() - busyUntil < 0) {
                Thread.onSpinWait();
            } else {
                sleep();
                busyUntil = System.nanoTime() + pollNanos;
            }
        }
    }

    private boolean isBusy() {
        for (int i = 0; i < queues.size(); i++) {
            if (queues.get(i).handler.isBusy()) {
                return true;
            }
        }
        return false;
    }

    private void sleep() throws IOException {
        asleep = true;
        try {
            boolean found = false;
            for (int i = 0; i < queues.size(); i++) {
                CompletionQueue queue = queues.get(i);
                if (queue.handler.needsEvent()) {
                    found |= queue.tend(true);
                }
            }
            if (!found && tasks.isEmpty()) {
                counters.sleeps.increment();
                int millis = backend.canWake() ? -1 : UNWAKEABLE_MILLIS;
                backend.awaitCqEvent(channel, queues.isEmpty() ? null : queues.get(0).cq, millis);
            }
        } finally {
            asleep = false;
        }
    }

    private boolean pollAll() throws IOException {
        boolean found = false;
        for (int i = 0; i < queues.size(); i++) {
            found |= queues.get(i).tend(false);
        }
        (found ? counters.polls : counters.emptyPolls).increment();
        return found;
    }

    /** Takes with the queue's lock held. */
    private boolean poll(CompletionQueue queue) throws IOException {
        if (queue.removed) {
            return false;
        }
        int count = backend.pollCq(queue.cq, BATCH, queue.completions.address());
        if (count < 0) {
            throw new IOException("ibv_poll_cq returned " + count);
        }
        for (int i = 0; i < count && !queue.removed; i++) {
            try {
                queue.handler.completed(queue.completions, i);
            } catch (RuntimeException e) {
                LOG.error("Taking a completion threw", e);
            }
        }
        return count > 0;
    }

    /** Ends when the last queue was removed, and waits a moment for that; returns whether it did. */
    boolean end() {
        closed = true;
        tasks.wake();
        try {
            if (Thread.currentThread() != thread && !tasks.awaitEnd(CLOSE_SECONDS)) {
                LOG.warn("The thread that takes completions did not end within {} s", CLOSE_SECONDS);
                return false;
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Ends, and destroys the completion channel, which its thread would otherwise go on to use. */
    void close() {
        if (!end()) {
            return;
        }
        try {
            tasks.destroy(channel::destroyCompChannel);
        } catch (IOException e) {
            LOG.warn("A completion channel could not be destroyed: {}", e.getMessage());
        }
    }
}
