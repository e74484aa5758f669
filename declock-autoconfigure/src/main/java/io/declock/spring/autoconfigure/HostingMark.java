// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file whose age tells when an embedded memory node last ran on a port of this machine. A memory node that starts soon after another
 * one must wait until the leases of the other have expired; a first one need not wait. The file contains the longest lease that a memory
 * node on this port grants. Where the file cannot be used, every start must wait. Not thread-safe.
 */
final class HostingMark {
    private static final Logger LOG = LoggerFactory.getLogger(HostingMark.class);

    private static final long TOUCH_NANOS = 1_000_000_000L;

    private final @Nullable Path file;
    private final Duration lease;
    private long touched = System.nanoTime() - TOUCH_NANOS;
    private boolean told;
    private boolean written;

    /**
     * Makes it.
     *
     * @param directory the directory of the file, null for none
     * @param lease the longest lease that a memory node of this application grants
     */
    HostingMark(@Nullable Path directory, int port, Duration lease) {
        this.file = directory == null ? null : directory.resolve("embedded-" + port + ".mark");
        this.lease = lease;
    }

    /** Returns the longest lease that a memory node of this application, or an earlier one on this port, may have granted. */
    Duration formerLease() {
        Path path = file;
        try {
            if (path != null && Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                Duration former =
                        Duration.ofMillis(Long.parseLong(Files.readString(path).strip()));
                return former.compareTo(lease) > 0 ? former : lease;
            }
        } catch (IOException | NumberFormatException e) {
            LOG.debug("The mark {} cannot be read", path, e);
        }
        return lease;
    }

    /** Returns whether a memory node may have run on this port within that time. */
    boolean isYoungerThan(Duration time) {
        if (file == null) {
            return true;
        }
        try {
            FileTime last = Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS);
            return last.toInstant().isAfter(Instant.now().minus(time)) || !canBeWritten(file);
        } catch (NoSuchFileException e) {
            // Some versions of Java report a file in the directory's place in this way, too.
            Path directory = file.toAbsolutePath().getParent();
            return directory == null || !Files.isDirectory(directory) || !Files.isWritable(directory);
        } catch (IOException e) {
            LOG.debug("The mark {} cannot be read", file, e);
            return true;
        }
    }

    private static boolean canBeWritten(Path file) {
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.isWritable(file);
    }

    /** Records that a memory node runs on this port now; writes at most once a second. */
    void touch() {
        long now = System.nanoTime();
        if (now - touched < TOUCH_NANOS) {
            return;
        }
        touched = now;
        if (file == null) {
            return;
        }
        try {
            if (!written || !Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                Files.writeString(file, String.valueOf(formerLease().toMillis()));
                written = true;
            }
            Files.getFileAttributeView(file, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .setTimes(FileTime.from(Instant.now()), null, null);
        } catch (IOException e) {
            if (!told) {
                told = true;
                LOG.warn(
                        "The mark {} cannot be written ({}): wait for {} before another instance hosts the embedded memory node after this one",
                        file,
                        e.toString(),
                        lease);
            }
        }
    }

    /** Records that no lock of the memory node that ran on this port is held. */
    void clear() {
        if (file == null) {
            return;
        }
        try {
            Files.deleteIfExists(file);
            written = false;
        } catch (IOException e) {
            LOG.debug("The mark {} cannot be deleted", file, e);
        }
    }
}
