// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

import io.declock.sample.live.Histogram;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * Customers that order, each at one instance, one request after the other. Most want the first product. Thread-safe.
 */
final class Load {
    private static final double READ_SHARE = 0.15;
    private static final double HOT_SHARE = 0.7;
    private static final int MOST_PIECES = 3;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final long SEED = 42;
    private static final long PAUSE_MILLIS = 100;

    private final List<URI> instances;
    private final List<String> products;
    private final int customers;
    private final long orderBound;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final AtomicLong ordersBegun = new AtomicLong();
    private final Histogram latencies = new Histogram();
    private final LongAdder requests = new LongAdder();
    private final LongAdder reads = new LongAdder();
    private final LongAdder soldOut = new LongAdder();
    private final List<LongAdder> acceptedByInstance = new ArrayList<>();
    private final Queue<FailedRequest> failed = new ConcurrentLinkedQueue<>();
    private volatile long begun;
    private volatile boolean stopped;

    /**
     * Makes one.
     *
     * @param instances addresses of the shops; a shop that is started again may have another address
     */
    Load(List<URI> instances, List<String> products, int customers, long orderBound) {
        this.instances = instances;
        this.products = List.copyOf(products);
        this.customers = customers;
        this.orderBound = orderBound > 0 ? orderBound : Long.MAX_VALUE;
        instances.forEach(instance -> acceptedByInstance.add(new LongAdder()));
    }

    /** Lets the customers order until the time is over and they are no longer needed, and returns the duration. */
    double run(Duration duration, BooleanSupplier isNeeded, Progress progress) throws InterruptedException {
        long start = System.nanoTime();
        begun = start;
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < customers; i++) {
            int customer = i;
            Thread thread = new Thread(() -> shop(customer), "customer-" + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        long end = start + duration.toNanos();
        for (int second = 1; (System.nanoTime() - end < 0 || isNeeded.getAsBoolean()) && !isOver(); second++) {
            long next = start + TimeUnit.SECONDS.toNanos(second);
            sleepUntil(isNeeded.getAsBoolean() ? next : Math.min(end, next));
            progress.second(second, requests.sum(), accepted());
        }
        stopped = true;
        for (Thread thread : threads) {
            thread.join();
        }
        return (System.nanoTime() - start) / (double) TimeUnit.SECONDS.toNanos(1);
    }

    private boolean isOver() {
        return ordersBegun.get() >= orderBound;
    }

    private void sleepUntil(long nanos) throws InterruptedException {
        for (long left = nanos - System.nanoTime(); left > 0 && !isOver(); left = nanos - System.nanoTime()) {
            TimeUnit.NANOSECONDS.sleep(Math.min(left, TimeUnit.MILLISECONDS.toNanos(100)));
        }
    }

    private void shop(int customer) {
        SplittableRandom random = new SplittableRandom(SEED + customer);
        int instance = customer % instances.size();
        while (!stopped) {
            String product = choose(random);
            boolean reads = random.nextDouble() < READ_SHARE;
            if (!reads && ordersBegun.incrementAndGet() > orderBound) {
                return;
            }
            // Before the address is read: a shop that was dead when the request began may have another address by now.
            long start = System.nanoTime();
            HttpRequest request = reads
                    ? look(instances.get(instance), product)
                    : order(instances.get(instance), product, 1 + random.nextInt(MOST_PIECES));
            send(request, instance, start);
        }
    }

    private String choose(SplittableRandom random) {
        if (products.size() == 1 || random.nextDouble() < HOT_SHARE) {
            return products.get(0);
        }
        return products.get(1 + random.nextInt(products.size() - 1));
    }

    private static HttpRequest look(URI instance, String product) {
        return HttpRequest.newBuilder(instance.resolve("/products/" + product))
                .timeout(TIMEOUT)
                .GET()
                .build();
    }

    private static HttpRequest order(URI instance, String product, int quantity) {
        String body = "{\"product\":\"" + product + "\",\"quantity\":" + quantity + "}";
        return HttpRequest.newBuilder(instance.resolve("/orders"))
                .timeout(TIMEOUT)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build();
    }

    private void send(HttpRequest request, int instance, long start) {
        try {
            HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
            latencies.record(System.nanoTime() - start);
            requests.increment();
            count(request, response.statusCode(), instance, start);
        } catch (IOException e) {
            failed(instance, start, e.getClass().getSimpleName() + ": " + e.getMessage());
            // The shop is not reachable: a real customer does not retry a thousand times a second.
            pause();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            stopped = true;
        }
    }

    private void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            stopped = true;
        }
    }

    private void count(HttpRequest request, int status, int instance, long start) {
        switch (status) {
            case 200 -> reads.increment();
            case 201 -> acceptedByInstance.get(instance).increment();
            case 409 -> soldOut.increment();
            default ->
                failed(
                        instance,
                        start,
                        (request.method().equals("GET") ? "GET /products: " : "POST /orders: ") + "HTTP " + status);
        }
    }

    private void failed(int instance, long start, String kind) {
        failed.add(new FailedRequest(instance, start, System.nanoTime(), kind));
    }

    /** Returns how many requests got a correct answer: an accepted order, a sold-out product, or a product shown. */
    long served() {
        return accepted() + soldOut() + reads();
    }

    long requests() {
        return requests.sum();
    }

    long reads() {
        return reads.sum();
    }

    long soldOut() {
        return soldOut.sum();
    }

    /** Returns the requests that got no answer, or another one than a correct answer. */
    List<FailedRequest> failed() {
        return List.copyOf(failed);
    }

    /** Returns the number of errors of each kind. */
    Map<String, Long> errorKinds() {
        return failed.stream().collect(Collectors.groupingBy(FailedRequest::kind, TreeMap::new, Collectors.counting()));
    }

    /** Returns the product that most customers want. */
    String hotProduct() {
        return products.get(0);
    }

    /** Returns when the first customer began, by {@link System#nanoTime}. */
    long begun() {
        return begun;
    }

    long accepted() {
        return acceptedByInstance.stream().mapToLong(LongAdder::sum).sum();
    }

    /** Returns how many orders each instance accepted. */
    List<Long> acceptedByInstance() {
        return acceptedByInstance.stream().map(LongAdder::sum).toList();
    }

    Histogram latencies() {
        return latencies;
    }

    /** Receives the totals once a second. */
    @FunctionalInterface
    interface Progress {
        /** Called with the seconds since the start and the totals. */
        void second(int seconds, long requests, long accepted);
    }
}
