// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The address of a memory node: {@code tcp://host:port}, {@code rdma://host:port} or {@code inprocess://name}. A memory node with stand-bys
 * has the address of each of its candidates: {@code tcp://a1:7420|a2:7420}.
 *
 * @param scheme scheme of the fabric
 * @param host host name, address, or in-process name
 * @param port TCP port, 0 for none
 * @param others addresses of the other candidates, each with the same scheme and without others
 */
public record MemoryNodeAddress(String scheme, String host, int port, List<MemoryNodeAddress> others) {
    /** Port of a memory node unless configured otherwise. */
    public static final int DEFAULT_PORT = 7420;

    /**
     * Copies the list.
     *
     * @throws IllegalArgumentException if the candidates differ in their scheme, or if one is named twice
     */
    public MemoryNodeAddress {
        others = List.copyOf(others);
        Set<String> places = new HashSet<>(Set.of(host + ":" + port));
        for (MemoryNodeAddress other : others) {
            if (!other.scheme.equals(scheme) || !other.others.isEmpty()) {
                throw new IllegalArgumentException(
                        "the candidates of one memory node must have the same scheme, not " + scheme + " and " + other);
            }
            if (!places.add(other.host + ":" + other.port)) {
                throw new IllegalArgumentException("the candidate " + other + " is named twice");
            }
        }
    }

    /**
     * Makes the address of a memory node without stand-bys.
     *
     * @param scheme scheme of the fabric
     * @param host host name, address, or in-process name
     * @param port TCP port, 0 for none
     */
    public MemoryNodeAddress(String scheme, String host, int port) {
        this(scheme, host, port, List.of());
    }

    /**
     * Parses an address; a missing port is {@value #DEFAULT_PORT}, a missing scheme is {@code tcp}. Candidates are separated by {@code |};
     * the scheme of the first one is that of the others.
     *
     * @param text the address as a user writes it
     * @return the address
     * @throws IllegalArgumentException if it is malformed; the message says how
     */
    public static MemoryNodeAddress parse(String text) {
        String[] candidates = text.split("\\|", -1);
        MemoryNodeAddress first = parseOne(candidates[0], "tcp");
        List<MemoryNodeAddress> others = new ArrayList<>();
        for (int i = 1; i < candidates.length; i++) {
            others.add(parseOne(candidates[i], first.scheme));
        }
        return new MemoryNodeAddress(first.scheme, first.host, first.port, others);
    }

    private static MemoryNodeAddress parseOne(String text, String scheme) {
        String trimmed = text.trim();
        String withScheme = trimmed.contains("://") ? trimmed : scheme + "://" + trimmed;
        try {
            URI uri = new URI(withScheme);
            if (uri.getHost() == null
                    || (uri.getPath() != null && !uri.getPath().isEmpty())) {
                throw new IllegalArgumentException("'" + text + "' is not of the form scheme://host:port");
            }
            int port = uri.getPort() >= 0 ? uri.getPort() : DEFAULT_PORT;
            if (port > 65535) {
                throw new IllegalArgumentException("'" + text + "' has a port above 65535");
            }
            return new MemoryNodeAddress(uri.getScheme(), uri.getHost(), port);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not of the form scheme://host:port: " + e.getMessage(), e);
        }
    }

    /** {@return the address of each candidate, without others; only this one if it has no stand-by} */
    public List<MemoryNodeAddress> candidates() {
        if (others.isEmpty()) {
            return List.of(this);
        }
        List<MemoryNodeAddress> all = new ArrayList<>();
        all.add(new MemoryNodeAddress(scheme, host, port));
        all.addAll(others);
        return all;
    }

    /**
     * {@return the same candidates in the same order, beginning with another one}
     *
     * @param index number of the one to begin with, from 0
     */
    public MemoryNodeAddress beginningWith(int index) {
        if (index == 0) {
            return this;
        }
        List<MemoryNodeAddress> turned = new ArrayList<>(candidates());
        Collections.rotate(turned, -index);
        MemoryNodeAddress first = turned.remove(0);
        return new MemoryNodeAddress(first.scheme, first.host, first.port, turned);
    }

    /**
     * {@return whether a stand-by may take over: several candidates are named, or the host is a name, which may stand for several}
     */
    public boolean mayHaveStandbys() {
        boolean numeric = host.startsWith("[") || host.chars().allMatch(c -> c == '.' || c >= '0' && c <= '9');
        return !others.isEmpty() || !numeric;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(scheme).append("://").append(place());
        others.forEach(other -> text.append('|').append(other.place()));
        return text.toString();
    }

    private String place() {
        return host + (port > 0 ? ":" + port : "");
    }
}
