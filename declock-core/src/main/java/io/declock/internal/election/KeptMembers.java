// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.election;

import io.declock.internal.memorynode.KeptNodes;
import io.declock.internal.memorynode.MemberList.Former;
import io.declock.internal.memorynode.MemberList.ListedMember;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The list of members as an engine keeps it: short texts by name, which an operator can read. Names that this version does not know are
 * left alone. Immutable.
 *
 * @param former what the former lives wrote down
 * @param lives their incarnations, oldest first
 * @param candidates addresses of the candidates that the last term knew
 * @param damaged names whose values make no sense; then the list is not complete
 */
record KeptMembers(Former former, List<Long> lives, List<String> candidates, List<String> damaged) {
    static final String CANDIDATES = "candidates";
    static final String LIVES = "lives";
    static final String INCARNATION = "incarnation";
    static final String MARK = "mark";
    static final String COMPLETE = "complete";
    static final String NODES = "nodes";
    /** Lives that are kept: as many as compute nodes can report after a few elections. */
    static final int MOST_LIVES = 16;

    private static final String MEMBER = "member.";

    static String nameOf(int nodeId, int incarnation) {
        return MEMBER + nodeId + "." + incarnation;
    }

    static String textOf(ListedMember member) {
        return Long.toHexString(member.processId()) + " " + member.attempt() + " " + member.leaseNanos();
    }

    static String livesText(Collection<Long> lives) {
        return lives.stream().map(Long::toHexString).collect(Collectors.joining(","));
    }

    static KeptMembers read(Map<String, byte[]> found) {
        Reader reader = new Reader();
        new TreeMap<>(found).forEach((name, value) -> reader.read(name, new String(value, StandardCharsets.UTF_8)));
        return reader.result();
    }

    private static final class Reader {
        private boolean complete;
        private long mark;
        private int highestIncarnation;
        private final List<ListedMember> members = new ArrayList<>();
        private final List<Long> lives = new ArrayList<>();
        private List<String> candidates = List.of();
        private KeptNodes nodes = KeptNodes.NONE;
        private final List<String> damaged = new ArrayList<>();

        void read(String name, String text) {
            try {
                readValue(name, text);
            } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
                damaged.add(name);
            }
        }

        private void readValue(String name, String text) {
            switch (name) {
                case CANDIDATES -> candidates = text.isEmpty() ? List.of() : List.of(text.split(",", -1));
                case LIVES -> {
                    for (String life : text.split(",", -1)) {
                        lives.add(Long.parseUnsignedLong(life, 16));
                    }
                }
                case INCARNATION -> highestIncarnation = Math.max(highestIncarnation, Integer.parseInt(text));
                case MARK -> mark = Long.parseLong(text);
                case COMPLETE -> complete = text.equals("true");
                case NODES -> nodes = KeptNodes.parse(text);
                default -> {
                    if (name.startsWith(MEMBER)) {
                        members.add(member(name.substring(MEMBER.length()).split("\\."), text.split(" ")));
                    }
                }
            }
        }

        private ListedMember member(String[] ids, String[] values) {
            ListedMember member = new ListedMember(
                    Integer.parseInt(ids[0]),
                    Integer.parseInt(ids[1]),
                    Long.parseUnsignedLong(values[0], 16),
                    Long.parseLong(values[1]),
                    Long.parseLong(values[2]));
            highestIncarnation = Math.max(highestIncarnation, member.incarnation());
            return member;
        }

        KeptMembers result() {
            return new KeptMembers(
                    new Former(
                            complete && damaged.isEmpty(),
                            members,
                            mark,
                            highestIncarnation,
                            new HashSet<>(lives),
                            nodes),
                    List.copyOf(lives),
                    candidates,
                    List.copyOf(damaged));
        }
    }
}
