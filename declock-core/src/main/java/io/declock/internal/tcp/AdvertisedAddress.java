// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp;

import io.declock.internal.monitor.ThrottledLog;
import io.declock.internal.tcp.wire.SocketAddresses;
import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What this process tells the members of a memory node about how to reach it: always an address, never a name. A name would be looked up
 * by every peer, and what it means may depend on where it is looked up; so the process that is meant looks it up itself. Thread-safe.
 */
final class AdvertisedAddress {
    private static final int MAX_PORT = 65_535;

    private final PeerListener listener;
    private final HostAddresses hosts;
    private final ThrottledLog log;
    /** The configured host, an address or a name, or null. */
    private final @Nullable String host;
    /** The port by which peers reach this process, 0 for the one it listens on. */
    private final int mappedPort;

    private volatile String last = "";

    AdvertisedAddress(@Nullable String configured, PeerListener listener, HostAddresses hosts, ThrottledLog log) {
        this.listener = listener;
        this.hosts = hosts;
        this.log = log;
        int colon = configured == null ? -1 : configured.lastIndexOf(':');
        if (configured != null && colon >= 0 && (configured.indexOf(':') == colon || configured.contains("]:"))) {
            this.host = configured.substring(0, colon);
            this.mappedPort = portOf(configured, configured.substring(colon + 1));
        } else {
            this.host = configured;
            this.mappedPort = 0;
        }
    }

    private static int portOf(String configured, String port) {
        if (port.matches("[0-9]{1,5}") && Integer.parseInt(port) >= 1 && Integer.parseInt(port) <= MAX_PORT) {
            return Integer.parseInt(port);
        }
        throw new IllegalArgumentException(
                "the peer host must be a host, or host:port with a port of 1 to " + MAX_PORT + ": " + configured);
    }

    /** Returns what was advertised last; before that, what can be told without a look-up, or nothing. */
    String last() {
        if (last.isEmpty()) {
            CompletableFuture<String> now = host == null || HostAddresses.written(host) != null
                    ? find(InetAddress.getLoopbackAddress())
                    : CompletableFuture.completedFuture("");
            return now.join();
        }
        return last;
    }

    /**
     * Returns the address to advertise to the members of a memory node; empty if the configured name has no address, so that they reach
     * this process through the memory node. Completes when the look-up does, never exceptionally.
     *
     * @param local this side's address of the connection to that memory node
     */
    CompletableFuture<String> find(InetAddress local) {
        String name = host;
        if (name == null) {
            return CompletableFuture.completedFuture(text(listener.isBoundToOneAddress() ? listener.address() : local));
        }
        return hosts.find(name).handle((found, failure) -> {
            if (failure != null) {
                log.warn(
                        "No address was found for the host '{}', by which peers were to reach this process: {}."
                                + " They reach it through the memory node. Check the peer host that is configured.",
                        name,
                        failure.toString());
                return "";
            }
            if (HostAddresses.written(name) == null && found.isLoopbackAddress() && !local.isLoopbackAddress()) {
                log.warn(
                        "The host '{}', by which peers were to reach this process, is {} here, where no other host reaches it."
                                + " Its address towards the memory node, {}, is advertised instead.",
                        name,
                        found.getHostAddress(),
                        local.getHostAddress());
                return text(local);
            }
            return text(found);
        });
    }

    private String text(InetAddress address) {
        last = SocketAddresses.text(address, mappedPort == 0 ? listener.port() : mappedPort);
        return last;
    }
}
