// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.state;

import io.declock.internal.memorynode.MemberList;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of a {@link MemberFile}. It has a fixed length, filled with zeros, that its header tells, so that a file that was cut off is noticed. Records
 * are appended; when they do not fit, what they say is written into another file, which replaces the first one.
 *
 * <p>A record that is not valid, with no valid one behind it, is what a write left that was never completed, so that no compute node was told of
 * it: it is cut off. With a valid record behind it something else has changed the file. Then the list does not count as complete, so that
 * this life waits for the longest lease.
 *
 * <p>Not thread-safe.
 */
final class RecordFile implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(MemberFile.class);

    private static final int LEAST_BYTES = 64 * 1024;
    private static final int MOST_BYTES = 64 * 1024 * 1024;
    private static final long MAGIC = 0x4445_434C_4F43_4B4DL;
    /** The format that is written. Format 1 knows no lists of memory nodes; a file of it is written anew when it is opened. */
    private static final short FORMAT = 2;

    private static final short OLDEST_FORMAT = 1;

    private final Path file;
    private final Path next;
    private final String id;
    private final MemberFile.Disk disk;
    private final MemberRecords records = new MemberRecords();
    private FileChannel channel;
    private int length;
    private int end;
    private boolean isDamaged;

    /**
     * Opens the file of a memory node, or makes an empty one.
     *
     * @throws StateDirectoryException if the file belongs to another memory node, or is none
     */
    static RecordFile open(Path directory, String id, MemberFile.Disk disk) throws IOException {
        return new RecordFile(directory, id, disk);
    }

    private RecordFile(Path directory, String id, MemberFile.Disk disk) throws IOException {
        this.file = directory.resolve("members");
        this.next = directory.resolve("members.new");
        this.id = id;
        this.disk = disk;
        Files.deleteIfExists(next);
        boolean isNew = Files.notExists(file);
        this.channel = isNew ? rewrite(null) : disk.open(file);
        try {
            if (!isNew) {
                read();
            }
        } catch (IOException | RuntimeException e) {
            close(channel);
            throw e;
        }
    }

    /** Returns what the former lives of the memory node have left. */
    MemberList.Former former() {
        return records.former();
    }

    // ---------------------------------------------------------------- reading

    private void read() throws IOException {
        long size = channel.size();
        if (size > MOST_BYTES) {
            throw unusable("has " + size + " bytes, which no list of members has", null);
        }
        ByteBuffer content = ByteBuffer.allocate((int) size);
        while (content.hasRemaining() && channel.read(content, content.position()) >= 0) {
            // Until all of it was read.
        }
        content.flip();
        int begin = readHeader(content);
        end = begin;
        for (int bytes = MemberRecords.sizeAt(content, end); bytes > 0; bytes = MemberRecords.sizeAt(content, end)) {
            records.apply(content, end);
            end += bytes;
        }
        if (content.limit() != length) {
            isIncomplete("has " + content.limit() + " bytes instead of " + length);
        } else if (hasRecordAfter(content, end)) {
            isIncomplete("is damaged at byte " + end);
        } else if (!isZeroFrom(content, end)) {
            log.info("{}: what was being written when the memory node ended is cut off", file);
            isDamaged = true;
        }
        if (isDamaged) {
            // Into another file: what is not valid must not stand behind valid records.
            FileChannel old = channel;
            channel = rewrite(null);
            close(old);
        }
    }

    private void isIncomplete(String what) {
        log.warn(
                "{} {}: it may not name every compute node, so that this memory node waits for the longest lease",
                file,
                what);
        records.isIncomplete();
        isDamaged = true;
    }

    private static boolean hasRecordAfter(ByteBuffer content, int position) {
        for (int at = position + 1; at < content.limit(); at++) {
            if (MemberRecords.sizeAt(content, at) > 0) {
                return true;
            }
        }
        return false;
    }

    private static boolean isZeroFrom(ByteBuffer content, int position) {
        for (int at = position; at < content.limit(); at++) {
            if (content.get(at) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Returns where the records begin. */
    private int readHeader(ByteBuffer content) throws StateDirectoryException {
        byte[] ofId = id.getBytes(StandardCharsets.UTF_8);
        ByteBuffer in = content.duplicate();
        int fixed = Long.BYTES + Short.BYTES + Integer.BYTES + Short.BYTES;
        if (in.remaining() < fixed || in.getLong() != MAGIC) {
            throw unusable("is not a list of members, or its beginning is damaged", null);
        }
        short format = in.getShort();
        if (format < OLDEST_FORMAT || format > FORMAT) {
            throw unusable(
                    "has format " + format + ", and this release knows formats " + OLDEST_FORMAT + " to " + FORMAT,
                    null);
        }
        isDamaged = format != FORMAT;
        length = in.getInt();
        int idBytes = in.getShort() & 0xFFFF;
        if (in.remaining() < idBytes + Integer.BYTES) {
            throw unusable("is not a list of members, or its beginning is damaged", null);
        }
        byte[] written = new byte[idBytes];
        in.get(written);
        CRC32C sum = new CRC32C();
        sum.update(content.slice(0, in.position()));
        if (in.getInt() != (int) sum.getValue()) {
            throw unusable("is damaged at its beginning", null);
        }
        if (!Arrays.equals(written, ofId)) {
            throw new StateDirectoryException(
                    file + " belongs to memory node '" + new String(written, StandardCharsets.UTF_8)
                            + "', and this one is '" + id + "'",
                    "Give the memory node its id back (declock.memory-node.id), or a state directory of its own"
                            + " (declock.memory-node.state-directory).",
                    null);
        }
        return in.position();
    }

    private StateDirectoryException unusable(String why, @Nullable Throwable cause) {
        return new StateDirectoryException(
                file + " " + why,
                "If no other program has put it there, delete it: the memory node then waits for the longest lease"
                        + " once, as it does at its first start.",
                cause);
    }

    private ByteBuffer header(int fileLength) {
        byte[] ofId = id.getBytes(StandardCharsets.UTF_8);
        ByteBuffer out = ByteBuffer.allocate(64 + ofId.length);
        out.putLong(MAGIC)
                .putShort(FORMAT)
                .putInt(fileLength)
                .putShort((short) ofId.length)
                .put(ofId);
        CRC32C sum = new CRC32C();
        sum.update(out.array(), 0, out.position());
        return out.putInt((int) sum.getValue()).flip();
    }

    // ---------------------------------------------------------------- writing

    /** Writes another file with what all records say, and more, and puts it in the place of the first one. */
    private FileChannel rewrite(@Nullable ByteBuffer more) throws IOException {
        ByteBuffer content = records.rewritten(more);
        int least = 4 * content.remaining();
        int bytes = Math.max(LEAST_BYTES, least <= 1 ? 1 : Integer.highestOneBit(least - 1) * 2);
        ByteBuffer whole = ByteBuffer.allocate(bytes);
        whole.put(header(bytes)).put(content);
        int filled = whole.position();
        whole.clear();
        FileChannel written = disk.open(next);
        try {
            written.truncate(0);
            writeFully(written, whole, 0);
            written.force(true);
            disk.replace(next, file);
        } catch (IOException | RuntimeException e) {
            close(written);
            throw e;
        }
        length = bytes;
        end = filled;
        isDamaged = false;
        return written;
    }

    private static void writeFully(FileChannel to, ByteBuffer content, long position) throws IOException {
        long at = position;
        while (content.hasRemaining()) {
            at += to.write(content, at);
        }
    }

    /**
     * Appends records.
     *
     * @param forced whether they are durable when the method returns
     */
    void append(ByteBuffer all, boolean forced) throws IOException {
        if (isDamaged || all.remaining() > length - end) {
            FileChannel old = channel;
            try {
                channel = rewrite(all);
            } catch (IOException | RuntimeException e) {
                isDamaged = true;
                throw e;
            }
            close(old);
        } else {
            // Should this fail, it is unknown what is on the disk, and the next write begins another file.
            isDamaged = true;
            writeFully(channel, all.duplicate(), end);
            if (forced) {
                channel.force(false);
            }
            end += all.remaining();
            isDamaged = false;
        }
        for (int at = 0; at < all.limit(); at += MemberRecords.sizeAt(all, at)) {
            records.apply(all, at);
        }
    }

    static void close(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            log.debug("A file of the state directory could not be closed", e);
        }
    }

    @Override
    public void close() {
        close(channel);
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
