// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.worker;

import io.declock.ComputeNodeMonitor;
import io.declock.DecLockException;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.LockRequest;
import io.declock.LockView;
import io.declock.reliability.ledger.Accounts;
import io.declock.reliability.ledger.Ledger;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Threads that acquire and release a few locks, and change the protected data as writers, until told to stop. */
final class Load {
    /** Practically unbounded: a wait may last as long as the faults. A caller that still waits after them is seen when the load ends. */
    private static final Duration WAIT = Duration.ofDays(1);

    /** A thread that has not ended this long after it was told to is reported. */
    private static final Duration LATE = Duration.ofSeconds(1);

    private static final int LONGEST_STAY_MICROS = 2_000;
    private static final int LONGEST_PAUSE_MICROS = 8_000;

    private final Worker worker;
    private final Ledger ledger;
    private final int firstLock;
    private final int locks;
    private final int threads;
    private final int readPercent;
    private final List<Thread> running = new ArrayList<>();
    private volatile boolean stopped;

    Load(Worker worker, Ledger ledger, String[] words) {
        this.worker = worker;
        this.ledger = ledger;
        this.firstLock = Integer.parseInt(words[1]);
        this.locks = Integer.parseInt(words[2]);
        this.threads = Integer.parseInt(words[3]);
        this.readPercent = Integer.parseInt(words[4]);
    }

    void start() {
        for (int i = 1; i <= threads; i++) {
            int number = i;
            Thread thread = new Thread(() -> run(number), "load-" + i);
            thread.setDaemon(true);
            thread.start();
            running.add(thread);
        }
    }

    /** Returns when every thread has left its last critical section. */
    void stop() throws InterruptedException {
        stopped = true;
        long late = System.nanoTime() + LATE.toNanos();
        for (Thread thread : running) {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(late - System.nanoTime())));
            if (thread.isAlive()) {
                explain(thread);
            }
        }
        for (Thread thread : running) {
            thread.join();
        }
    }

    /** Reports, for the analysis of a failed run, where a thread is that does not end. */
    private void explain(Thread thread) {
        ComputeNodeMonitor monitor = worker.node().monitor();
        worker.say("late " + thread.getName() + " at " + Arrays.toString(thread.getStackTrace()));
        monitor.memoryNodes().forEach(view -> worker.say("late, with " + view));
        for (LockView view : monitor.locks(100)) {
            worker.say("late, with " + view);
            if (view.state() == LockView.State.WAITING) {
                monitor.inspect(view.name())
                        .whenComplete((record, failure) ->
                                worker.say("late, with record " + (failure == null ? record : failure)));
            }
        }
    }

    private void run(int number) {
        SplittableRandom random =
                new SplittableRandom(31L * worker.options().name().hashCode() + number);
        try (Accounts accounts = new Accounts(worker.options().database())) {
            while (!stopped && ledger.hasRoom()) {
                try {
                    visit(number, random, accounts);
                } catch (LockLostException e) {
                    // The faults cause this; the ledger and the database show whether it did harm.
                }
                pause(random, LONGEST_PAUSE_MICROS);
            }
        } catch (DecLockException e) {
            worker.say("violation " + String.valueOf(e.getMessage()).replace('\n', ' '));
        } catch (SQLException e) {
            worker.say("broken " + String.valueOf(e.getMessage()).replace('\n', ' '));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void visit(int number, SplittableRandom random, Accounts accounts)
            throws InterruptedException, SQLException {
        int lock = firstLock + random.nextInt(locks);
        boolean exclusive = random.nextInt(100) >= readPercent;
        long asked = System.nanoTime();
        LockHandle handle = worker.node()
                .acquire(LockRequest.of("lock-" + lock, exclusive ? LockMode.WRITE : LockMode.READ)
                        .waitTime(WAIT));
        Ledger.Section section = enter(handle, lock, exclusive, number, asked);
        try (handle) {
            if (section != null) {
                stay(handle, section, lock, exclusive, random, accounts);
            }
        } catch (LockLostException e) {
            if (section != null) {
                section.left(true);
            }
            throw e;
        }
        if (section != null) {
            section.left(false);
        }
    }

    private Ledger.@Nullable Section enter(LockHandle handle, int lock, boolean exclusive, int number, long asked) {
        long entered = System.nanoTime();
        return handle.isValid() ? ledger.enter(lock, exclusive, handle.fencingToken(), number, asked, entered) : null;
    }

    private void stay(
            LockHandle handle,
            Ledger.Section section,
            int lock,
            boolean exclusive,
            SplittableRandom random,
            Accounts accounts)
            throws SQLException {
        long token = handle.fencingToken();
        long was = exclusive ? accounts.read(lock, token) : -1;
        pause(random, LONGEST_STAY_MICROS);
        if (was >= 0) {
            accounts.write(lock, token, worker.options().name(), was);
        }
        long now = System.nanoTime();
        if (handle.isValid()) {
            section.validAt(now);
        }
    }

    private static void pause(SplittableRandom random, int longestMicros) {
        LockSupport.parkNanos(random.nextInt(1 + longestMicros) * 1_000L);
    }
}
