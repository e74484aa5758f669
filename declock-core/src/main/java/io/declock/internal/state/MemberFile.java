// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.internal.memorynode.KeptNodes;
import io.declock.internal.memorynode.MemberList;
import io.declock.internal.monitor.Isolated;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A {@link MemberList} in a directory on a local disk (rule H1 of docs/protocol.md). Its file has a fixed length, filled with zeros, that its
 * header tells, so that a file that was cut off is noticed. Records are appended; when they do not fit, what they say is written into another
 * file, which replaces the first one. One thread writes; it takes all that is queued and forces it to the disk at once.
 *
 * <p>A record that is not valid, with no valid one behind it, is what a write left that was never completed, so that no compute node was told of
 * it: it is cut off. With a valid record behind it something else has changed the file. Then the list does not count as complete, so that
 * this life waits for the longest lease.
 *
 * <p>Thread-safe. No method but {@link #begin} and {@link #close} waits for the disk.
 */
public final class MemberFile implements MemberList {
    private static final Logger log = LoggerFactory.getLogger(MemberFile.class);

    private static final int LEAST_BYTES = 64 * 1024;
    private static final int MOST_BYTES = 64 * 1024 * 1024;
    private static final long MAGIC = 0x4445_434C_4F43_4B4DL;
    /** The format that is written. Format 1 knows no lists of memory nodes; a file of it is written anew when it is opened. */
    private static final short FORMAT = 2;

    private static final short OLDEST_FORMAT = 1;
    private static final String CLOSED = "the list of members was closed";

    private final Path directory;
    private final Path file;
    private final Path next;
    private final String id;
    private final Disk disk;
    private final FileChannel lockFile;
    private final Former former;
    private final BlockingQueue<Write> queue = new LinkedBlockingQueue<>();
    private final Thread writer = new Thread(this::write, "declock-members");
    private final ReentrantLock closing = new ReentrantLock();

    @GuardedBy("closing")
    private boolean closed;

    // Used by the thread that opens the file, then by the writer only.
    private final MemberRecords records = new MemberRecords();
    private FileChannel channel;
    private int length;
    private int end;
    private boolean isDamaged;

    /** What a test replaces. */
    interface Disk {
        /** The disk of this machine. */
        Disk LOCAL = new Disk() {};

        default FileChannel open(Path path) throws IOException {
            return FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        }

        default void replace(Path from, Path to) throws IOException {
            try {
                Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } catch (AtomicMoveNotSupportedException e) {
                throw new IOException("the file system cannot replace a file in one step", e);
            }
            try (FileChannel parent = FileChannel.open(to.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
                parent.force(true);
            }
        }
    }

    /**
     * A write that is queued.
     *
     * @param record the record, null to end the writer
     * @param isForced whether it must be durable before the outcome is told
     */
    private record Write(@Nullable ByteBuffer record, boolean isForced, Outcome outcome) {}

    private static final Outcome NOBODY = new Outcome() {
        @Override
        public void written() {}

        @Override
        public void failed(String why) {}
    };

    /**
     * Opens the list of a memory node, or makes an empty one.
     *
     * @param directory state directory, which is made if it does not exist; no other memory node may use it at the same time
     * @param memoryNodeId id of the memory node
     * @throws StateDirectoryException if the directory cannot be used, belongs to another memory node, or is in use
     */
    public static MemberFile open(Path directory, String memoryNodeId) throws StateDirectoryException {
        return open(directory, memoryNodeId, Disk.LOCAL);
    }

    static MemberFile open(Path directory, String memoryNodeId, Disk disk) throws StateDirectoryException {
        FileChannel lock = lock(directory);
        try {
            MemberFile opened = new MemberFile(directory, memoryNodeId, disk, lock);
            opened.writer.setDaemon(true);
            opened.writer.start();
            return opened;
        } catch (IOException | RuntimeException e) {
            close(lock);
            throw e instanceof StateDirectoryException known
                    ? known
                    : new StateDirectoryException(
                            "the state directory " + directory + " cannot be used: " + e,
                            "Give the memory node a directory that it can write, on a local disk with space left"
                                    + " (declock.memory-node.state-directory).",
                            e);
        }
    }

    private static FileChannel lock(Path directory) throws StateDirectoryException {
        try {
            Files.createDirectories(directory);
            FileChannel lock =
                    FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (isLocked(lock)) {
                return lock;
            }
            close(lock);
        } catch (IOException e) {
            throw new StateDirectoryException(
                    "the state directory " + directory + " cannot be made or written: " + e,
                    "Give the memory node a directory that it can write (declock.memory-node.state-directory).",
                    e);
        }
        throw StateDirectoryException.inUse(
                "the state directory " + directory + " is in use by another memory node",
                "Stop the other one, or give this one a directory of its own (declock.memory-node.state-directory).");
    }

    private static boolean isLocked(FileChannel lock) throws IOException {
        try {
            return lock.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    private static void close(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            log.debug("A file of the state directory could not be closed", e);
        }
    }

    private MemberFile(Path directory, String id, Disk disk, FileChannel lockFile) throws IOException {
        this.directory = directory;
        this.file = directory.resolve("members");
        this.next = directory.resolve("members.new");
        this.id = id;
        this.disk = disk;
        this.lockFile = lockFile;
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
        this.former = records.former();
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

    private void write() {
        List<Write> batch = new ArrayList<>();
        boolean last = false;
        while (!last) {
            batch.clear();
            try {
                batch.add(queue.take());
            } catch (InterruptedException e) {
                // Only close() ends this thread.
                continue;
            }
            queue.drainTo(batch);
            last = batch.stream().anyMatch(write -> write.record == null);
            batch.removeIf(write -> write.record == null);
            write(batch);
        }
    }

    private void write(List<Write> batch) {
        if (batch.isEmpty()) {
            return;
        }
        int bytes = 0;
        for (Write write : batch) {
            bytes += write.record == null ? 0 : write.record.remaining();
        }
        ByteBuffer all = ByteBuffer.allocate(bytes);
        boolean forced = false;
        for (Write write : batch) {
            if (write.record != null) {
                all.put(write.record.duplicate());
            }
            forced |= write.isForced;
        }
        all.flip();
        String failure = null;
        try {
            store(all, forced);
        } catch (IOException | RuntimeException | Error e) {
            failure = "cannot write " + file + ": " + e
                    + ". No compute node can join until it can be written; those that have joined go on. Free space there,"
                    + " or repair the disk";
        }
        for (Write write : batch) {
            String why = failure;
            Isolated.run(
                    "Telling of a write to " + file,
                    why == null ? write.outcome::written : () -> write.outcome.failed(why));
        }
    }

    private void store(ByteBuffer all, boolean forced) throws IOException {
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

    // ---------------------------------------------------------------- the list

    @Override
    public Former former() {
        return former;
    }

    @Override
    public void begin(long memoryNodeIncarnation) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        enqueue(MemberRecords.life(memoryNodeIncarnation), true, new Outcome() {
            @Override
            public void written() {
                done.complete(true);
            }

            @Override
            public void failed(String why) {
                done.completeExceptionally(new IOException(why));
            }
        });
        try {
            done.join();
        } catch (CompletionException e) {
            throw new UncheckedIOException(
                    "the state directory " + directory + " cannot be used",
                    e.getCause() instanceof IOException cause ? cause : new IOException(e));
        }
    }

    @Override
    public void add(ListedMember member, Outcome outcome) {
        enqueue(MemberRecords.added(member), true, outcome);
    }

    @Override
    public void remove(int nodeId, int incarnation) {
        enqueue(MemberRecords.removed(nodeId, incarnation), false, NOBODY);
    }

    @Override
    public void raiseMark(long epoch, Outcome outcome) {
        enqueue(MemberRecords.mark(epoch, 0), true, outcome);
    }

    @Override
    public void complete(boolean complete, Outcome outcome) {
        enqueue(MemberRecords.complete(complete), true, outcome);
    }

    @Override
    public void keepNodes(KeptNodes nodes, Outcome outcome) {
        enqueue(MemberRecords.nodes(nodes), true, outcome);
    }

    private void enqueue(ByteBuffer record, boolean forced, Outcome outcome) {
        boolean over;
        closing.lock();
        try {
            over = closed;
            if (!over) {
                queue.add(new Write(record, forced, outcome));
            }
        } finally {
            closing.unlock();
        }
        if (over) {
            outcome.failed(CLOSED);
        }
    }

    @Override
    public void close() {
        closing.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            queue.add(new Write(null, false, NOBODY));
        } finally {
            closing.unlock();
        }
        boolean interrupted = false;
        while (writer.isAlive()) {
            try {
                writer.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        close(channel);
        close(lockFile);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
