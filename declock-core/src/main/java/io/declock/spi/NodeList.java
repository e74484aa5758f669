// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A list of memory nodes that replaces an earlier one while compute nodes work (rules M1 to M6 of docs/protocol.md). Lists are numbered, and
 * each differs from the one before by one memory node. So a memory node either gives names up or takes some over, never both. Immutable.
 *
 * @param number number of the list; 0 stands for no list, where every compute node is configured with the same memory nodes
 * @param nodes the memory nodes
 * @param changed the memory node that was added or removed by this list
 * @param added whether it was added
 */
public record NodeList(long number, List<Node> nodes, Node changed, boolean added) {
    /** No list: every compute node is configured with the same memory nodes. */
    public static final NodeList NONE = new NodeList(0, List.of(), new Node("", ""), true);

    /**
     * A memory node.
     *
     * @param id its stable id
     * @param address its address, as in a compute node's configuration, candidates included
     */
    public record Node(String id, String address) {}

    /** Copies the list. */
    public NodeList {
        nodes = List.copyOf(nodes);
    }

    /** {@return whether this stands for no list} */
    public boolean isNone() {
        return number == 0;
    }

    /** {@return the ids as a set} */
    public NodeSet set() {
        return setOf(nodes);
    }

    /** {@return the set before this list} */
    public NodeSet former() {
        List<Node> before = new ArrayList<>(nodes);
        if (added) {
            before.remove(changed);
        } else {
            before.add(changed);
        }
        return setOf(before);
    }

    private static NodeSet setOf(List<Node> nodes) {
        return NodeSet.of(nodes.stream().map(Node::id).toList());
    }

    /** {@return the memory nodes that give names up} */
    public List<Node> sources() {
        return added ? others() : List.of(changed);
    }

    /** {@return the memory nodes that take names over} */
    public List<Node> targets() {
        return added ? List.of(changed) : nodes;
    }

    private List<Node> others() {
        return nodes.stream().filter(node -> !node.equals(changed)).toList();
    }

    /**
     * {@return the memory node with that id}
     *
     * @param id a stable id
     */
    public Optional<Node> node(String id) {
        return nodes.stream().filter(node -> node.id().equals(id)).findFirst();
    }

    /** {@return the ids and addresses, for people} */
    public String describe() {
        List<String> all =
                nodes.stream().map(node -> node.id() + " at " + node.address()).toList();
        return "list " + number + " of memory nodes: " + String.join(", ", all);
    }
}
