// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import io.declock.LockHandle;
import io.declock.LockMode;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.internal.node.ComputeNode;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Services at work: many locks of orders that are free, and a few of products that are wanted by all. */
final class ConsoleLoad implements AutoCloseable {
    private static final int ORDERS = 40;
    private static final String[] PRODUCTS = {"product:desk", "product:lamp", "product:chair"};

    private final ComputeNode[] services;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile boolean stopped;

    ConsoleLoad(ComputeNode... services) {
        this.services = services;
    }

    void start() {
        int number = 0;
        for (ComputeNode service : services) {
            LockOwner picker = LockOwner.named("picker-" + ++number);
            threads.execute(() -> loop(() -> work(service, "order:" + anyOf(ORDERS), LockMode.WRITE, picker, 1)));
            for (String product : PRODUCTS) {
                LockOwner seller = LockOwner.named("seller-" + number);
                LockOwner viewer = LockOwner.named("catalogue-" + number);
                threads.execute(() -> loop(() -> work(service, product, LockMode.WRITE, seller, 100)));
                threads.execute(() -> loop(() -> work(service, product, LockMode.READ, viewer, 200)));
            }
        }
    }

    private static int anyOf(int bound) {
        return ThreadLocalRandom.current().nextInt(bound);
    }

    private interface Work {
        void run() throws Exception;
    }

    private void loop(Work work) {
        try {
            while (!stopped) {
                work.run();
            }
        } catch (Exception e) {
            if (!stopped) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static void work(ComputeNode service, String name, LockMode mode, LockOwner owner, int millis)
            throws Exception {
        LockRequest request = mode == LockMode.WRITE ? LockRequest.write(name) : LockRequest.read(name);
        try (LockHandle handle = service.acquire(request.waitTime(Duration.ofMinutes(1)), owner)) {
            TimeUnit.MILLISECONDS.sleep(1 + anyOf(2 * millis));
        }
    }

    @Override
    public void close() throws InterruptedException {
        stopped = true;
        threads.shutdown();
        threads.awaitTermination(20, TimeUnit.SECONDS);
    }
}
