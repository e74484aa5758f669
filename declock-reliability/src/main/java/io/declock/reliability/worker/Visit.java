// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.worker;

import io.declock.DecLockException;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.LockNotGrantedException;
import io.declock.LockRequest;
import io.declock.MemoryNodeUnavailableException;
import io.declock.reliability.ledger.Accounts;
import io.declock.reliability.ledger.Ledger;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** One critical section that lasts until it is told to end, on a thread of its own that keeps the ledger up to date meanwhile. */
final class Visit {
    private static final int SAMPLE_MILLIS = 2;
    /** A typical interval between tries. */
    private static final int TRY_MILLIS = 20;

    private final Worker worker;
    private final String id;
    private final int lock;
    private final boolean exclusive;
    private final LinkedBlockingQueue<String> orders = new LinkedBlockingQueue<>();

    Visit(Worker worker, String id, int lock, boolean exclusive) {
        this.worker = worker;
        this.id = id;
        this.lock = lock;
        this.exclusive = exclusive;
    }

    /** Waits for the lock, which stays taken for a while at least unless that is zero. */
    void start(Duration wait, Duration least) {
        start(
                () -> least.isZero()
                        ? request().waitTime(wait)
                        : request().waitTime(wait).holdAtLeast(least),
                1);
    }

    /** Tries again and again, and never waits in the queue. */
    void startToTry(Duration patience) {
        start(() -> request().waitTime(Duration.ZERO), patience.toMillis() / TRY_MILLIS);
    }

    private void start(Supplier<LockRequest> request, long attempts) {
        Thread thread = new Thread(() -> run(request, attempts), "visit-" + id);
        thread.setDaemon(true);
        thread.start();
    }

    private LockRequest request() {
        return LockRequest.of("lock-" + lock, exclusive ? LockMode.WRITE : LockMode.READ);
    }

    void write() {
        orders.add("write");
    }

    void release() {
        orders.add("release");
    }

    private void run(Supplier<LockRequest> request, long attempts) {
        long asked = System.nanoTime();
        try (Accounts accounts = new Accounts(worker.options().database())) {
            stay(acquire(request, attempts), accounts, asked);
        } catch (DecLockException e) {
            worker.say("refused " + id + " " + e.getClass().getSimpleName() + " " + System.nanoTime() + " "
                    + String.valueOf(e.getMessage()).replace('\n', ' '));
        } catch (SQLException e) {
            worker.say("broken " + id + " " + String.valueOf(e.getMessage()).replace('\n', ' '));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private LockHandle acquire(Supplier<LockRequest> request, long attempts) throws InterruptedException {
        for (long left = attempts - 1; ; left--) {
            try {
                return worker.node().acquire(request.get());
            } catch (LockNotGrantedException | MemoryNodeUnavailableException e) {
                if (left <= 0) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(TRY_MILLIS);
            }
        }
    }

    private void stay(LockHandle handle, Accounts accounts, long asked) throws SQLException, InterruptedException {
        long entered = System.nanoTime();
        if (!handle.isValid()) {
            throw new LockLostException("lost before it was used");
        }
        long token = handle.fencingToken();
        Ledger.Section section = worker.ledger().enter(lock, exclusive, token, 0, asked, entered);
        worker.say("granted " + id + " " + token + " " + entered);
        long was = exclusive ? accounts.read(lock, token) : 0;
        boolean lost = false;
        String order = "";
        while (!order.equals("release")) {
            long now = System.nanoTime();
            if (handle.isValid()) {
                section.validAt(now);
            } else if (!lost) {
                lost = true;
                worker.say("lost " + id + " " + now);
            }
            String next = orders.poll(SAMPLE_MILLIS, TimeUnit.MILLISECONDS);
            order = next == null ? "" : next;
            if (order.equals("write")) {
                boolean taken = accounts.write(lock, token, worker.options().name(), was);
                worker.say((taken ? "taken " : "stale ") + id);
                was += taken ? 1 : 0;
            }
        }
        try {
            handle.close();
            section.left(false);
            worker.say("released " + id + " " + System.nanoTime());
        } catch (LockLostException e) {
            section.left(true);
            worker.say("released-lost " + id + " " + System.nanoTime());
        }
    }
}
