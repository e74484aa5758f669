// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp;

import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finds the addresses of hosts. A look-up of a name blocks its thread for as long as the name service likes, often for many seconds; so
 * names are looked up on daemon threads of their own and never on an event loop, where a slow one would cost every session its heartbeats.
 *
 * <p>A name that is being looked up is not looked up a second time, so that each slow name occupies one thread, however often it is
 * asked for. Thread-safe.
 */
public final class HostAddresses implements AutoCloseable {
    /** As many names as may be slow at a time; a further one fails, and is asked for again with the next attempt to connect. */
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
    private final Map<String, CompletableFuture<InetAddress>> pending = new ConcurrentHashMap<>();

    /** Asks the name service; may block. */
    @FunctionalInterface
    interface Lookup {
        InetAddress find(String host) throws UnknownHostException;
    }

    HostAddresses(Lookup lookup) {
        this.lookup = lookup;
    }

    /** Returns the address that is written in a text, or null if the text is the name of a host. */
    public static @Nullable InetAddress written(String host) {
        // What comes after '%' names an interface of this host, which only the JDK can tell.
        if (host.indexOf('%') >= 0) {
            return null;
        }
        String bare = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        return NetUtil.createInetAddressFromIpAddressString(bare);
    }

    /**
     * Finds the address of a host. An address that is written out is found at once. Nothing limits how long it takes for a name: the
     * caller's own deadline does.
     *
     * @return the address; fails with the look-up's exception. May be shared: do not complete it.
     */
    CompletableFuture<InetAddress> find(String host) {
        InetAddress written = written(host);
        if (written != null) {
            return CompletableFuture.completedFuture(written);
        }
        CompletableFuture<InetAddress> fresh = new CompletableFuture<>();
        CompletableFuture<InetAddress> begun = pending.putIfAbsent(host, fresh);
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

    private void lookUp(String host, CompletableFuture<InetAddress> result) {
        InetAddress found = null;
        Throwable failure = null;
        try {
            found = lookup.find(host);
        } catch (UnknownHostException | RuntimeException | Error e) {
            failure = e;
        }
        // First forgotten, then told: whoever asks after being told looks again.
        pending.remove(host, result);
        if (found != null) {
            result.complete(found);
        } else {
            result.completeExceptionally(failure == null ? new UnknownHostException(host) : failure);
        }
    }

    /** Looks up nothing more. Look-ups that are under way end by themselves. */
    @Override
    public void close() {
        threads.shutdown();
    }
}
