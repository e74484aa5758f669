// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.state;

import io.declock.internal.memorynode.KeptNodes;
import io.declock.internal.memorynode.MemberList.Former;
import io.declock.internal.memorynode.MemberList.ListedMember;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What the records of a {@link MemberFile} say, and how they look: length of type and content (u16), type (u8), content, CRC-32C of all that
 * (u32), big-endian. A length of zero ends them. Not thread-safe.
 */
final class MemberRecords {
    /** Bytes of a record besides its content. */
    private static final int FRAME_BYTES = 2 + 1 + 4;
    /** Most bytes of the content of a record that has no text. */
    private static final int NUMBERS_BYTES = 32;

    /** Most bytes of a record. */
    private static final int MAX_BYTES = FRAME_BYTES + KeptNodes.MAX_BYTES;

    private static final int MOST_LIVES = 16;
    private static final byte LIFE = 1;
    private static final byte ADDED = 2;
    private static final byte REMOVED = 3;
    private static final byte MARK = 4;
    private static final byte COMPLETE = 5;
    private static final byte NODES = 6;

    private boolean complete;
    private long mark;
    private int highestIncarnation;
    private final Map<List<Integer>, ListedMember> members = new LinkedHashMap<>();
    private final Deque<Long> lives = new ArrayDeque<>();
    private KeptNodes nodes = KeptNodes.NONE;

    /** Writes the content of a record. */
    private interface Content {
        void write(ByteBuffer out);
    }

    static ByteBuffer life(long incarnation) {
        return record(LIFE, out -> out.putLong(incarnation));
    }

    static ByteBuffer added(ListedMember member) {
        return record(
                ADDED,
                out -> out.putInt(member.nodeId())
                        .putInt(member.incarnation())
                        .putLong(member.processId())
                        .putLong(member.attempt())
                        .putLong(member.leaseNanos()));
    }

    static ByteBuffer removed(int nodeId, int incarnation) {
        return record(REMOVED, out -> out.putInt(nodeId).putInt(incarnation));
    }

    static ByteBuffer mark(long epoch, int highestIncarnation) {
        return record(MARK, out -> out.putLong(epoch).putInt(highestIncarnation));
    }

    static ByteBuffer complete(boolean complete) {
        return record(COMPLETE, out -> out.put((byte) (complete ? 1 : 0)));
    }

    static ByteBuffer nodes(KeptNodes nodes) {
        byte[] text = nodes.text().getBytes(StandardCharsets.UTF_8);
        return record(NODES, text.length, out -> out.put(text));
    }

    private static ByteBuffer record(byte type, Content content) {
        return record(type, NUMBERS_BYTES, content);
    }

    private static ByteBuffer record(byte type, int contentBytes, Content content) {
        ByteBuffer out = ByteBuffer.allocate(FRAME_BYTES + contentBytes);
        out.putShort((short) 0).put(type);
        content.write(out);
        out.putShort(0, (short) (out.position() - Short.BYTES));
        CRC32C sum = new CRC32C();
        sum.update(out.array(), 0, out.position());
        return out.putInt((int) sum.getValue()).flip();
    }

    /** Returns the size of the valid record at a position, or 0 if there is none. */
    static int sizeAt(ByteBuffer file, int position) {
        int left = file.limit() - position;
        int length = left < Short.BYTES ? 0 : file.getShort(position) & 0xFFFF;
        int size = Short.BYTES + length + Integer.BYTES;
        if (length == 0 || size > MAX_BYTES || size > left) {
            return 0;
        }
        CRC32C sum = new CRC32C();
        sum.update(file.slice(position, size - Integer.BYTES));
        boolean known = file.get(position + Short.BYTES) >= LIFE && file.get(position + Short.BYTES) <= NODES;
        return known && (int) sum.getValue() == file.getInt(position + size - Integer.BYTES) ? size : 0;
    }

    /** Takes in a valid record. */
    void apply(ByteBuffer file, int position) {
        ByteBuffer in = file.duplicate()
                .position(position + Short.BYTES)
                .limit(position + sizeAt(file, position) - Integer.BYTES);
        switch (in.get()) {
            case LIFE -> addLife(in.getLong());
            case ADDED -> add(new ListedMember(in.getInt(), in.getInt(), in.getLong(), in.getLong(), in.getLong()));
            case REMOVED -> remove(in.getInt(), in.getInt());
            case MARK -> {
                mark = Math.max(mark, in.getLong());
                highestIncarnation = Math.max(highestIncarnation, in.getInt());
            }
            case COMPLETE -> complete = in.get() != 0;
            default -> nodes = KeptNodes.parse(StandardCharsets.UTF_8.decode(in).toString());
        }
    }

    private void addLife(long incarnation) {
        lives.addLast(incarnation);
        if (lives.size() > MOST_LIVES) {
            lives.removeFirst();
        }
    }

    private void add(ListedMember member) {
        members.put(List.of(member.nodeId(), member.incarnation()), member);
        highestIncarnation = Math.max(highestIncarnation, member.incarnation());
    }

    private void remove(int nodeId, int incarnation) {
        members.remove(List.of(nodeId, incarnation));
    }

    /** The records may not name every compute node that may have a lease. */
    void isIncomplete() {
        complete = false;
    }

    /** Returns the records that say the same as all so far, followed by others. */
    ByteBuffer rewritten(@Nullable ByteBuffer more) {
        int others = more == null ? 0 : more.remaining();
        ByteBuffer ofNodes = nodes.isNone() ? ByteBuffer.allocate(0) : nodes(nodes);
        ByteBuffer all = ByteBuffer.allocate(
                (members.size() + lives.size() + 2) * (FRAME_BYTES + NUMBERS_BYTES) + ofNodes.remaining() + others);
        all.put(complete(complete));
        all.put(mark(mark, highestIncarnation));
        lives.forEach(life -> all.put(life(life)));
        members.values().forEach(member -> all.put(added(member)));
        all.put(ofNodes);
        if (more != null) {
            all.put(more.duplicate());
        }
        return all.flip();
    }

    Former former() {
        return new Former(
                complete, List.copyOf(members.values()), mark, highestIncarnation, new HashSet<>(lives), nodes);
    }
}
