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
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A {@link MemberList} in a directory on a local disk (rule H1 of docs/protocol.md). One thread writes its {@link RecordFile}; it takes all that
 * is queued and forces it to the disk at once.
 *
 * <p>Thread-safe. No method but {@link #begin} and {@link #close} waits for the disk.
 */
public final class MemberFile implements MemberList {
    private static final String CLOSED = "the list of members was closed";

    private final Path directory;
    private final FileChannel lockFile;
    /** Used by the thread that opens it, then by the writer only. */
    private final RecordFile file;

    private final Former former;
    private final BlockingQueue<Write> queue = new LinkedBlockingQueue<>();
    private final Thread writer = new Thread(this::write, "declock-members");
    private final ReentrantLock closing = new ReentrantLock();

    @GuardedBy("closing")
    private boolean closed;

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
            MemberFile opened = new MemberFile(directory, lock, RecordFile.open(directory, memoryNodeId, disk));
            opened.writer.setDaemon(true);
            opened.writer.start();
            return opened;
        } catch (IOException | RuntimeException e) {
            RecordFile.close(lock);
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
            RecordFile.close(lock);
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

    private MemberFile(Path directory, FileChannel lockFile, RecordFile file) {
        this.directory = directory;
        this.lockFile = lockFile;
        this.file = file;
        this.former = file.former();
    }

    // ---------------------------------------------------------------- writing

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
            file.append(all, forced);
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
        file.close();
        RecordFile.close(lockFile);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
