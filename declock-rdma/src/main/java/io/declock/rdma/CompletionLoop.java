// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.google.errorprone.annotations.concurrent.GuardedBy;
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
 * The completion thread of one device. While requests are in flight it polls for a while. Then it requests events, polls once more
 * (completions from before the request cause no event), and sleeps on the completion channel.
 *
 * <p>A thread that waits for a completion of its own may take completions from a queue as well, see {@link CompletionQueue#take}: then
 * no thread has to be woken. So an event is requested only for chains that no thread waits for: by the completion thread before it
 * sleeps, if a handler {@linkplain Handler#needsEvent needs} one, and by a thread that leaves chains in flight while the completion
 * thread sleeps, see {@link CompletionQueue#watch}. If both happen at once, at least one of the two threads sees what the other did.
 *
 * <p>One thread at a time holds a queue's lock. A thread that finds the lock taken leaves its work to the holder, which checks again
 * after unlocking. A thread that finds completions again and again leaves the queue to the completion thread.
 *
 * <p>Queues are added and removed on the completion thread itself, so that it never polls a destroyed queue. Thread-safe.
 */
final class CompletionLoop {
    private static final Logger LOG = LoggerFactory.getLogger(CompletionLoop.class);
    private static final int BATCH = 64;
    /** How long the thread sleeps at most with a provider that cannot {@linkplain VerbsBackend#canWake wake} it. */
    private static final int UNWAKEABLE_MILLIS = 50;

    /**
     * How often a thread polls a queue that has completions each time. Where each completion leads to a chain that the device executes at once, the queue is never empty, and the thread may be
     * one whose caller has been given what the others try to get.
     */
    private static final int MOST_POLLS = 64;

    private static final int CLOSE_SECONDS = 2;

    private final VerbsBackend backend;
    private final RdmaCounters counters;
    private final IbvCompChannel channel;
    private final long pollNanos;
    private final TaskQueue tasks;
    private final Thread thread;
    private volatile boolean closed;
    private volatile boolean ended;
    // Whether the thread sleeps, or is about to sleep and has begun to check which handlers need an event.
    private volatile boolean asleep;
    // Used by the thread only.
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

    /** A completion queue and the handler of its completions. */
    final class CompletionQueue implements Takers.Source {
        final IbvCQ cq;
        final Handler handler;
        private final ReentrantLock taking = new ReentrantLock();

        @GuardedBy("taking")
        private final Completions completions = new Completions(BATCH);

        @GuardedBy("taking")
        private boolean removed;
        // Set before trying to lock, checked after unlocking.
        private volatile boolean toArm;

        private CompletionQueue(IbvCQ cq, Handler handler) {
            this.cq = cq;
            this.handler = handler;
        }

        /** Takes completions on the calling thread, unless another thread does already; returns whether there were any. */
        @Override
        public boolean take() {
            try {
                return tend(false);
            } catch (IOException e) {
                giveUp(e);
                return false;
            }
        }

        /**
         * Makes the next completion wake the completion thread, and takes earlier ones. Does nothing if that thread is awake, because it
         * will poll.
         */
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

        /** Wakes the completion thread, which meets the same failure and ends. */
        private void giveUp(IOException cause) {
            LOG.debug("The completion thread will end with the same failure: {}", cause.getMessage());
            tasks.wake();
        }

        /** Takes completions, or leaves that to the thread that is taking just now; returns whether this thread found any. */
        @SuppressWarnings("GuardedBy") // Error Prone does not follow tryLock().
        private boolean tend(boolean arm) throws IOException {
            if (arm) {
                toArm = true;
            }
            int polls = 0;
            boolean first = true;
            while ((first || toArm) && taking.tryLock()) {
                first = false;
                try {
                    polls += toArm ? armAndPoll(MOST_POLLS - polls) : poll() ? 1 : 0;
                } finally {
                    taking.unlock();
                }
                if (polls >= MOST_POLLS) {
                    leaveToTheCompletionThread();
                    break;
                }
            }
            return polls > 0;
        }

        /** That thread polls before it sleeps again; what is to be armed is armed by then. */
        private void leaveToTheCompletionThread() {
            if (Thread.currentThread() != thread) {
                tasks.wake();
            }
        }

        /** Returns how often it found completions, at most {@code most} times. */
        @GuardedBy("taking")
        private int armAndPoll(int most) throws IOException {
            toArm = false;
            if (removed) {
                return 0;
            }
            counters.armings.increment();
            int errno = backend.requestNotify(cq);
            if (errno != 0) {
                throw new IOException("ibv_req_notify_cq returned " + errno);
            }
            int found = 0;
            while (found < most && poll()) {
                found++;
            }
            return found;
        }

        @GuardedBy("taking")
        private boolean poll() throws IOException {
            if (removed) {
                return false;
            }
            int count = backend.pollCq(cq, BATCH, completions.address());
            if (count < 0) {
                throw new IOException("ibv_poll_cq returned " + count);
            }
            for (int i = 0; i < count && !removed; i++) {
                try {
                    handler.completed(completions, i);
                } catch (RuntimeException e) {
                    LOG.error("A completion handler failed", e);
                }
            }
            return count > 0;
        }

        /** Returns whether the calling thread takes completions from this queue. If so, the call comes from a completion's handler. */
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

    /** Receives completions, from one thread at a time. */
    interface Handler {
        /** Receives completion {@code i}. */
        void completed(Completions completions, int i);

        /** Returns whether completions are expected soon. */
        boolean isBusy();

        /** Returns whether the next completion must cause an event, because no other thread polls for it; also called when not busy. */
        default boolean needsEvent() {
            return true;
        }
    }

    /** Creates a queue and takes its completions until it is removed. */
    CompletionQueue create(int entries, Handler handler) throws IOException {
        CompletionQueue queue = new CompletionQueue(channel.getContext().createCQ(channel, entries, 0), handler);
        execute(() -> queues.add(queue));
        return queue;
    }

    /** Stops taking from a queue and destroys it, for which its queue pair must be destroyed; then runs {@code then}. */
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

    /** Runs a short task on the completion thread soon, or at once on this thread if the completion thread has ended. */
    void execute(Runnable task) {
        tasks.execute(task);
    }

    private void run() {
        try {
            loop();
        } catch (IOException | RuntimeException e) {
            LOG.error("The completion thread ended: RDMA operations no longer complete", e);
        } finally {
            ended = true;
            tasks.end();
        }
    }

    /** Returns whether the completion thread has ended, by {@link #end} or by a failure. Then operations no longer complete. */
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

    /** Ends the thread once the last queue is removed, and waits a moment for that; returns whether it ended. */
    boolean end() {
        closed = true;
        tasks.wake();
        try {
            if (Thread.currentThread() != thread && !tasks.awaitEnd(CLOSE_SECONDS)) {
                LOG.warn("The completion thread did not end within {} s", CLOSE_SECONDS);
                return false;
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Ends the thread, and destroys the completion channel once the thread no longer uses it. */
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
