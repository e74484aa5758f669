// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.MemoryNodeAddress;
import io.declock.internal.session.MemoryNodeLink;
import io.declock.spi.NodeList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory nodes that a process is configured with. Says in the log, once for each list, that the list has others: the process goes on by
 * the list, but its next start depends on a memory node that the configuration still leads to. Thread-safe.
 */
final class ConfiguredNodes {
    private static final Logger log = LoggerFactory.getLogger(ConfiguredNodes.class);

    private final List<MemoryNodeLink> configured;
    /** Number of the newest list that it is known of whether it differs. */
    private final AtomicLong compared = new AtomicLong();

    /**
     * Makes it.
     *
     * @param configured a link for each configured address
     */
    ConfiguredNodes(List<MemoryNodeLink> configured) {
        this.configured = List.copyOf(configured);
    }

    /**
     * Says how a list differs from the configuration, unless that was said. A configured address may be another way to write one of the
     * list, which only its memory node can tell: while it is not known for as many addresses as would make both the same, nothing is said.
     *
     * @param isLast whether no more will be known
     */
    void compare(NodeList list, boolean isLast) {
        if (list.number() <= compared.get()) {
            return;
        }
        Difference difference = new Difference(list);
        if ((isLast || !difference.isOpen())
                && compared.getAndAccumulate(list.number(), Math::max) < list.number()
                && difference.exists()) {
            log.warn(
                    "This process is configured with other memory nodes than those of list {}: {}. It goes on by the list;"
                            + " before its next start, set declock.memory-nodes to {}",
                    list.number(),
                    difference,
                    list.nodes().stream().map(NodeList.Node::address).collect(Collectors.joining(",")));
        }
    }

    /** How the configuration differs from a list, as far as it is known which memory nodes its addresses lead to. */
    private final class Difference {
        private final List<NodeList.Node> notConfigured;
        private final List<MemoryNodeLink> notListed = new ArrayList<>();
        private final List<MemoryNodeLink> unknown = new ArrayList<>();

        Difference(NodeList list) {
            notConfigured = new ArrayList<>(list.nodes());
            for (MemoryNodeLink link : configured) {
                notConfigured.removeIf(node -> leadsTo(link, node));
                if (list.nodes().stream().noneMatch(node -> leadsTo(link, node))) {
                    (link.memoryNodeId().isEmpty() ? unknown : notListed).add(link);
                }
            }
        }

        boolean isOpen() {
            return notListed.isEmpty() && !unknown.isEmpty() && unknown.size() == notConfigured.size();
        }

        boolean exists() {
            return !notConfigured.isEmpty() || !notListed.isEmpty() || !unknown.isEmpty();
        }

        @Override
        public String toString() {
            List<String> all = new ArrayList<>();
            notConfigured.forEach(
                    node -> all.add(node.id() + " at " + node.address() + " is on the list and not configured"));
            notListed.forEach(link ->
                    all.add(link.memoryNodeId() + " at " + link.address() + " is configured and not on the list"));
            unknown.forEach(link -> all.add(link.address() + " is configured and not on the list"));
            return String.join("; ", all);
        }
    }

    private static boolean leadsTo(MemoryNodeLink link, NodeList.Node node) {
        return link.memoryNodeId().isEmpty()
                ? !Collections.disjoint(places(link.address()), places(MemoryNodeAddress.parse(node.address())))
                : link.memoryNodeId().equals(node.id());
    }

    /** Returns the hosts and ports of all candidates: the same memory node may be reached over TCP by one process and by RDMA by another. */
    private static List<String> places(MemoryNodeAddress address) {
        return address.candidates().stream()
                .map(candidate -> candidate.host() + ":" + candidate.port())
                .toList();
    }
}
