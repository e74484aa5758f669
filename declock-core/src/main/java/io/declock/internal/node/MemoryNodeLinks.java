// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.ComputeNodeSettings;
import io.declock.MemoryNodeAddress;
import io.declock.internal.session.MemoryNodeLink;
import io.declock.internal.session.NodeSession;
import io.declock.internal.session.Surroundings;
import io.declock.spi.Fabric;
import io.declock.spi.NodeList;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The links of one compute node to its memory nodes, in the order in which they were added, each over the first fabric that supports its
 * address. Finds them by id; when links are added, started and removed is the concern of others. Thread-safe.
 */
final class MemoryNodeLinks {
    private final List<Fabric> fabrics;
    private final ComputeNodeSettings settings;
    private static final String TCP = "tcp";
    private static final String RDMA = "rdma";

    private final Surroundings surroundings;
    private final MemoryNodeLink.Listener listener;
    private final List<MemoryNodeLink> links = new CopyOnWriteArrayList<>();
    private final List<MemoryNodeLink> view = Collections.unmodifiableList(links);

    /**
     * Makes it without links.
     *
     * @param listener receives the events of every link
     */
    MemoryNodeLinks(
            List<Fabric> fabrics,
            ComputeNodeSettings settings,
            Surroundings surroundings,
            MemoryNodeLink.Listener listener) {
        this.fabrics = fabrics;
        this.settings = settings;
        this.surroundings = surroundings;
        this.listener = listener;
    }

    // ---------------------------------------------------------------- adding and removing

    /**
     * Adds a link, which is not started.
     *
     * @throws IllegalArgumentException if no fabric supports the address
     */
    void add(MemoryNodeAddress address) {
        links.add(new MemoryNodeLink(address, fabricFor(address), settings, surroundings, listener));
    }

    /**
     * Adds and returns a link to a memory node of a list, which is not started.
     *
     * @throws IllegalArgumentException if its address is none, or no fabric supports it
     */
    MemoryNodeLink add(NodeList.Node node) {
        Fabric fabric = fabricOfListed(MemoryNodeAddress.parse(node.address()));
        MemoryNodeLink added = new MemoryNodeLink(node, fabric, settings, surroundings, listener);
        links.add(added);
        return added;
    }

    /** A list is the same for all processes: one without RDMA reaches an RDMA address over TCP, which is served at the same place. */
    private Fabric fabricOfListed(MemoryNodeAddress address) {
        Fabric fabric = find(address);
        if (fabric == null && address.scheme().equals(RDMA)) {
            fabric = find(new MemoryNodeAddress(TCP, address.host(), address.port()));
        }
        return fabric == null ? fabricFor(address) : fabric;
    }

    private @Nullable Fabric find(MemoryNodeAddress address) {
        for (Fabric fabric : fabrics) {
            if (fabric.supports(address)) {
                return fabric;
            }
        }
        return null;
    }

    private Fabric fabricFor(MemoryNodeAddress address) {
        Fabric fabric = find(address);
        if (fabric != null) {
            return fabric;
        }
        throw new IllegalArgumentException("no fabric for memory node " + address + ": its scheme is '"
                + address.scheme() + "'; tcp needs TcpFabric, rdma needs the module declock-rdma");
    }

    /** Removes a link, which goes on until it is stopped. */
    void remove(MemoryNodeLink link) {
        links.remove(link);
    }

    // ---------------------------------------------------------------- finding

    /** Returns the links, also as they change. */
    List<MemoryNodeLink> all() {
        return view;
    }

    /** Returns the only link, or null if there are several. */
    @Nullable
    MemoryNodeLink only() {
        return links.size() == 1 ? links.get(0) : null;
    }

    /** Returns the first link whose memory node is known to have this id, or null. */
    @Nullable
    MemoryNodeLink linkTo(String id) {
        for (MemoryNodeLink link : links) {
            if (link.memoryNodeId().equals(id)) {
                return link;
            }
        }
        return null;
    }

    /** Returns the link of the memory node whose id has this hash. One that was never joined is known if all others were. */
    @Nullable
    MemoryNodeLink linkWith(long idHash) {
        MemoryNodeLink unknown = null;
        int unknowns = 0;
        for (MemoryNodeLink link : links) {
            if (link.memoryNodeId().isEmpty()) {
                unknown = link;
                unknowns++;
            } else if (link.memoryNodeIdHash() == idHash) {
                return link;
            }
        }
        return unknowns == 1 ? unknown : null;
    }

    /** Returns the ids of the memory nodes whose ids are known. */
    List<String> ids() {
        return links.stream()
                .map(MemoryNodeLink::memoryNodeId)
                .filter(id -> !id.isEmpty())
                .toList();
    }

    /** Returns the sessions of this moment. */
    List<NodeSession> sessions() {
        List<NodeSession> all = new ArrayList<>();
        for (MemoryNodeLink link : links) {
            NodeSession session = link.session();
            if (session != null) {
                all.add(session);
            }
        }
        return all;
    }

    /** Returns whether there is a session with this memory node. */
    boolean isJoined(String id) {
        MemoryNodeLink link = linkTo(id);
        return link != null && link.session() != null;
    }

    // ---------------------------------------------------------------- the fabrics

    /** Returns the fabrics' details that belong to no session. */
    Map<String, Object> fabricDetails() {
        Map<String, Object> details = new LinkedHashMap<>();
        fabrics.forEach(fabric -> details.putAll(fabric.details()));
        return details;
    }

    /** Returns how late the latest event loop of the fabrics is. */
    Duration eventLoopLag() {
        return fabrics.stream()
                .map(Fabric::eventLoopLag)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }
}
