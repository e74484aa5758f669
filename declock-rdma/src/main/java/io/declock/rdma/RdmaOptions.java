// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.InvalidSettingException;
import io.declock.spi.AdapterException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The settings of RDMA, read from options by name.
 *
 * @param connections settings of connections
 * @param peers settings of messages between compute nodes
 * @param listenPort port of a memory node in the port space of RDMA
 * @param provider {@code ffm}, {@code disni} or {@code auto}
 * @param fallback whether verbs go over TCP where RDMA does not work
 */
record RdmaOptions(
        ConnectionSettings connections, PeerSettings peers, int listenPort, String provider, boolean fallback) {
    private static final Set<String> NAMES = Set.of(
            "device",
            "port",
            "gid-index",
            "address",
            "listen-port",
            "provider",
            "fallback",
            "ack-timeout",
            "retry-count",
            "rnr-retry-count",
            "max-in-flight",
            "max-reads-and-atomics",
            "inline-bytes",
            "poll-time",
            "connect-timeout",
            "request-timeout",
            "peer-connections",
            "peer-port",
            "max-peer-connections");

    /**
     * Reads options.
     *
     * @throws AdapterException if an option is unknown or has an invalid value
     */
    static RdmaOptions of(Map<String, String> options) throws AdapterException {
        for (String name : new TreeSet<>(options.keySet())) {
            if (!NAMES.contains(name)) {
                throw bad(name, options.get(name), "there is no such setting of RDMA", null);
            }
        }
        Reader in = new Reader(options);
        try {
            return new RdmaOptions(
                    in.connections(ConnectionSettings.DEFAULTS),
                    in.peers(PeerSettings.DEFAULTS),
                    in.number("listen-port", 0),
                    options.getOrDefault("provider", Providers.AUTO),
                    in.yes("fallback", false));
        } catch (InvalidSettingException e) {
            throw bad(e.setting(), e.value(), e.reason(), e);
        }
    }

    private static AdapterException bad(String name, @Nullable String value, String why, @Nullable Throwable cause) {
        return new AdapterException(
                "The RDMA setting '" + name + "' is '" + value + "', but " + why + ".",
                "Correct or remove it; docs/rdma.md lists the settings.",
                cause);
    }

    /** Reads one option after the other. */
    private record Reader(Map<String, String> options) {
        ConnectionSettings connections(ConnectionSettings defaults) throws AdapterException {
            return new ConnectionSettings(
                    localAddress(),
                    number("ack-timeout", defaults.ackTimeout()),
                    number("retry-count", defaults.retryCount()),
                    number("rnr-retry-count", defaults.rnrRetryCount()),
                    number("max-in-flight", defaults.maxInFlight()),
                    number("max-reads-and-atomics", defaults.maxReadsAndAtomics()),
                    number("inline-bytes", defaults.inlineBytes()),
                    duration("poll-time", defaults.pollTime()),
                    duration("connect-timeout", defaults.connectTimeout()),
                    duration("request-timeout", defaults.requestTimeout()));
        }

        PeerSettings peers(PeerSettings defaults) throws AdapterException {
            return new PeerSettings(
                    yes("peer-connections", defaults.direct()),
                    number("peer-port", defaults.port()),
                    number("max-peer-connections", defaults.maxConnections()));
        }

        int number(String name, int otherwise) throws AdapterException {
            String text = options.get(name);
            try {
                return text == null ? otherwise : Integer.parseInt(text);
            } catch (NumberFormatException e) {
                throw bad(name, text, "must be a number", e);
            }
        }

        boolean yes(String name, boolean otherwise) {
            String text = options.get(name);
            return text == null ? otherwise : Boolean.parseBoolean(text);
        }

        Duration duration(String name, Duration otherwise) throws AdapterException {
            String text = options.get(name);
            try {
                return text == null ? otherwise : Duration.parse(text);
            } catch (DateTimeParseException e) {
                throw bad(name, text, "must be a duration such as PT5S", e);
            }
        }

        @Nullable
        InetAddress localAddress() throws AdapterException {
            String address = options.get("address");
            String device = options.get("device");
            if (address == null || address.isEmpty()) {
                return DeviceAddress.find(
                        device == null || device.isEmpty() ? null : device, number("port", 1), number("gid-index", -1));
            }
            try {
                return InetAddress.getByName(address);
            } catch (UnknownHostException e) {
                throw bad("address", address, "that is not an address", e);
            }
        }
    }
}
