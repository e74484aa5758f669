// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finds the addresses of hosts. A look-up of a name blocks its thread until the name service answers, often for many seconds; so names are
 * looked up on daemon threads of their own and never on an event loop, where a slow look-up would delay the heartbeats of every session.
 *
 * <p>A name that is being looked up is not looked up a second time, so that each slow name occupies one thread, however often it is
 * asked for. Thread-safe.
 */
public final class HostAddresses implements AutoCloseable {
    /** Most look-ups at a time; a further one fails, and the next attempt to connect repeats it. */
    static final int MOST_AT_A_TIME = 16;

    private static final int IDLE_SECONDS = 10;

    private final Lookup lookup;
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            0,
            MOST_AT_A_TIME,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            new DefaultThreadFactory("declock-name-look-up", true));
    private final Map<String, CompletableFuture<List<InetAddress>>> pending = new ConcurrentHashMap<>();

    /** Asks the name service; may block. */
    @FunctionalInterface
    interface Lookup {
        InetAddress[] find(String host) throws UnknownHostException;
    }

    HostAddresses(Lookup lookup) {
        this.lookup = lookup;
    }

    /** Returns the address in a text, or null if the text is a host name. */
    public static @Nullable InetAddress written(String host) {
        // The text after '%' names a network interface of this host, which only the JDK can resolve.
        if (host.indexOf('%') >= 0) {
            return null;
        }
        String bare = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        return NetUtil.createInetAddressFromIpAddressString(bare);
    }

    /**
     * Finds the address of a host. A literal address is found at once. The look-up of a name has no time limit; the caller must set its own
     * deadline.
     *
     * @return the address; fails with the look-up's exception. May be shared: do not complete it.
     */
    CompletableFuture<InetAddress> find(String host) {
        return findAll(host).thenApply(found -> found.get(0));
    }

    /**
     * Finds every address of a host, as {@link #find} does.
     *
     * @return at least one address
     */
    CompletableFuture<List<InetAddress>> findAll(String host) {
        InetAddress written = written(host);
        if (written != null) {
            return CompletableFuture.completedFuture(List.of(written));
        }
        CompletableFuture<List<InetAddress>> fresh = new CompletableFuture<>();
        CompletableFuture<List<InetAddress>> begun = pending.putIfAbsent(host, fresh);
        if (begun != null) {
            return begun;
        }
        try {
            threads.execute(() -> lookUp(host, fresh));
        } catch (RejectedExecutionException e) {
            pending.remove(host, fresh);
            fresh.completeExceptionally(new UnknownHostException(host + " was not looked up: "
                    + (threads.isShutdown()
                            ? "this process is closing"
                            : MOST_AT_A_TIME + " names are being looked up and not found yet")));
        }
        return fresh;
    }

    private void lookUp(String host, CompletableFuture<List<InetAddress>> result) {
        List<InetAddress> found = List.of();
        Throwable failure = null;
        try {
            found = List.of(lookup.find(host));
        } catch (UnknownHostException | RuntimeException | Error e) {
            failure = e;
        }
        // Removed before the result is completed, so that a caller that asks after the completion starts a new look-up.
        pending.remove(host, result);
        if (!found.isEmpty()) {
            result.complete(found);
        } else {
            result.completeExceptionally(failure == null ? new UnknownHostException(host) : failure);
        }
    }

    /** Starts no more look-ups. Those under way end by themselves. */
    @Override
    public void close() {
        threads.shutdown();
    }
}
