// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file whose age tells when an embedded memory node last lived on a port of this machine. A node that starts soon after another
 * one must wait until the leases which that one granted have run out; a first one need not. Without the file's help it would have to
 * wait always. Not thread-safe.
 */
final class HostingMark {
    private static final Logger LOG = LoggerFactory.getLogger(HostingMark.class);

    private static final long TOUCH_NANOS = 1_000_000_000L;

    private final Path file;
    private long touched = System.nanoTime() - TOUCH_NANOS;

    HostingMark(Path directory, int port) {
        this.file = directory.resolve("declock-embedded-" + port + ".mark");
    }

    /** Returns whether a memory node may have lived here within that time. */
    boolean isYoungerThan(Duration time) {
        try {
            FileTime last = Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS);
            return last.toInstant().isAfter(Instant.now().minus(time));
        } catch (NoSuchFileException e) {
            return !Files.isWritable(file.toAbsolutePath().getParent());
        } catch (IOException e) {
            LOG.debug("The mark {} cannot be read", file, e);
            return true;
        }
    }

    /** Notes that a memory node lives here now; writes once a second. */
    void touch() {
        long now = System.nanoTime();
        if (now - touched < TOUCH_NANOS) {
            return;
        }
        touched = now;
        try {
            if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                Files.newByteChannel(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))
                        .close();
            }
            Files.getFileAttributeView(file, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .setTimes(FileTime.from(Instant.now()), null, null);
        } catch (IOException e) {
            LOG.debug("The mark {} cannot be written", file, e);
        }
    }

    /** Notes that nobody holds anything of the memory node that lived here. */
    void clear() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.debug("The mark {} cannot be deleted", file, e);
        }
    }
}
