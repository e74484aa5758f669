// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.spi.NodeList;
import java.util.ArrayList;
import java.util.List;

/**
 * What a memory node keeps of its list of memory nodes (rule M5 of docs/protocol.md). As a text it has a line for the number, one for the
 * memory node that was added ("+") or removed ("-"), one for each memory node ("=") and one for each that is awaited ("?"); ids and addresses
 * are separated by tabs.
 *
 * @param list the list
 * @param awaited ids of the memory nodes that have not given their names up yet
 */
public record KeptNodes(NodeList list, List<String> awaited) {
    /** There is no list. */
    public static final KeptNodes NONE = new KeptNodes(NodeList.NONE, List.of());

    /** Most bytes of a text: what an engine takes as one value. */
    public static final int MAX_BYTES = 4_000;

    /** Copies the ids. */
    public KeptNodes {
        awaited = List.copyOf(awaited);
    }

    /** Returns whether there is no list. */
    public boolean isNone() {
        return list.isNone();
    }

    /** Returns the text. */
    public String text() {
        return text(list, awaited);
    }

    static String text(NodeList list, List<String> awaited) {
        StringBuilder text = new StringBuilder().append(list.number()).append('\n');
        line(text, list.added() ? '+' : '-', list.changed());
        list.nodes().forEach(node -> line(text, '=', node));
        awaited.forEach(id -> text.append('?').append(id).append('\n'));
        return text.toString();
    }

    private static void line(StringBuilder text, char kind, NodeList.Node node) {
        text.append(kind).append(node.id()).append('\t').append(node.address()).append('\n');
    }

    /**
     * Reads a text.
     *
     * @throws IllegalArgumentException if it is not one
     */
    public static KeptNodes parse(String text) {
        List<String> lines = text.lines().toList();
        if (lines.size() < 2 || lines.get(1).isEmpty()) {
            throw new IllegalArgumentException("a list of memory nodes of " + lines.size() + " lines");
        }
        List<NodeList.Node> nodes = new ArrayList<>();
        List<String> awaited = new ArrayList<>();
        for (String line : lines.subList(2, lines.size())) {
            switch (line.isEmpty() ? ' ' : line.charAt(0)) {
                case '=' -> nodes.add(node(line));
                case '?' -> awaited.add(line.substring(1));
                default -> throw new IllegalArgumentException("an unknown line in a list of memory nodes: " + line);
            }
        }
        NodeList list = new NodeList(
                Long.parseLong(lines.get(0)),
                nodes,
                node(lines.get(1)),
                lines.get(1).charAt(0) == '+');
        return new KeptNodes(list, awaited);
    }

    private static NodeList.Node node(String line) {
        int tab = line.indexOf('\t');
        if (tab < 0) {
            throw new IllegalArgumentException("a memory node without an address: " + line);
        }
        return new NodeList.Node(line.substring(1, tab), line.substring(tab + 1));
    }
}
