// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.internal.monitor.ThrottledLog;
import io.declock.internal.tcp.wire.SocketAddresses;
import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The address under which the members of a memory node reach this process: always an address, never a name. Every peer would have to look a
 * name up, and the result may depend on the host that does; so this process looks its own name up. Thread-safe.
 */
final class AdvertisedAddress {
    private static final int MAX_PORT = 65_535;

    private final PeerListener listener;
    private final HostAddresses hosts;
    private final ThrottledLog log;
    /** The configured host, an address or a name, or null. */
    private final @Nullable String host;
    /** The port by which peers reach this process, 0 for the port it listens on. */
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

    /** Returns the address that was advertised last; before that, an address that needs no look-up, or an empty text. */
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
     * @param local local address of the connection to that memory node
     */
    CompletableFuture<String> find(InetAddress local) {
        String name = host;
        if (name == null) {
            return CompletableFuture.completedFuture(text(listener.isBoundToOneAddress() ? listener.address() : local));
        }
        return hosts.find(name).handle((found, failure) -> {
            if (failure != null) {
                log.warn(
                        "No address was found for the configured peer host '{}': {}."
                                + " Peers reach this process through the memory node. Check the configured peer host.",
                        name,
                        failure.toString());
                return "";
            }
            if (HostAddresses.written(name) == null && found.isLoopbackAddress() && !local.isLoopbackAddress()) {
                log.warn(
                        "The configured peer host '{}' is the loopback address {}, which no other host can reach."
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
