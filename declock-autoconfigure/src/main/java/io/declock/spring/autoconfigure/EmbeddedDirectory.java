// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.StringUtils;

/**
 * The directory in which the applications of one user on this machine keep the files of their embedded memory node: the secret that they
 * share, and the mark that tells when a memory node last ran on a port. No other user may read or write it: with the secret, that user
 * could take and release locks, and if that user deleted the mark, a memory node could grant a lock that is still held. Thread-safe.
 *
 * @param path the directory, null if none can be used and trusted
 */
record EmbeddedDirectory(@Nullable Path path) {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedDirectory.class);

    private static final String SECRET_FILE = "embedded.secret";
    private static final int SECRET_BYTES = 32;
    private static final Set<PosixFilePermission> OF_OWNER_ONLY = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> FILE_OF_OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    /**
     * Finds the directory, and makes it if it does not exist.
     *
     * @param configured the configured path, empty or null for {@code .declock} in the user's home directory
     */
    static EmbeddedDirectory of(@Nullable String configured) {
        Path path;
        try {
            path = StringUtils.hasText(configured)
                    ? Path.of(configured)
                    : Path.of(System.getProperty("user.home", ""), ".declock");
        } catch (InvalidPathException e) {
            return unusable(String.valueOf(configured), e);
        }
        try {
            Path absolute = path.toAbsolutePath();
            create(absolute);
            requirePrivate(absolute);
            return new EmbeddedDirectory(absolute);
        } catch (IOException e) {
            return unusable(path.toString(), e);
        }
    }

    private static EmbeddedDirectory unusable(String path, Exception why) {
        LOG.warn(
                "The directory {} for the embedded memory node cannot be used ({}): each start waits until leases that an earlier memory"
                        + " node may have granted have expired, and without a configured declock.secret other instances on this machine"
                        + " cannot join. Set declock.embedded.directory to a directory that only this user can write.",
                path,
                why.toString());
        return new EmbeddedDirectory(null);
    }

    private static void create(Path directory) throws IOException {
        Path parent = directory.getParent();
        if (parent != null && !Files.isDirectory(parent)) {
            throw new FileSystemException(parent.toString(), null, "is not a directory");
        }
        try {
            Files.createDirectory(directory, permissions(directory, OF_OWNER_ONLY));
        } catch (FileAlreadyExistsException e) {
            // The caller checks it next.
        }
    }

    private static FileAttribute<?>[] permissions(Path where, Set<PosixFilePermission> permissions) {
        return isPosix(where)
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)}
                : new FileAttribute<?>[0];
    }

    private static boolean isPosix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    private static void requirePrivate(Path path) throws IOException {
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS) || !Files.isWritable(path)) {
            throw new FileSystemException(path.toString(), null, "is not a writable directory");
        }
        if (!isPosix(path)) {
            return;
        }
        PosixFileAttributes attributes =
                Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!OF_OWNER_ONLY.containsAll(attributes.permissions())) {
            throw new FileSystemException(
                    path.toString(),
                    null,
                    "is open to others (" + PosixFilePermissions.toString(attributes.permissions())
                            + "); only its owner may have access (chmod 700)");
        }
        if (!attributes.owner().equals(ownerOfNewFileIn(path))) {
            throw new FileSystemException(
                    path.toString(), null, "belongs to another user (" + attributes.owner() + ")");
        }
    }

    /** Returns the user that this process is for the file system: an administrator may write to a directory of any user. */
    private static UserPrincipal ownerOfNewFileIn(Path directory) throws IOException {
        Path file = Files.createTempFile(directory, "owner", ".tmp", permissions(directory, FILE_OF_OWNER_ONLY));
        try {
            return Files.getOwner(file, LinkOption.NOFOLLOW_LINKS);
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /**
     * Returns the secret that every application of this user reads here; the first application makes it. Without a directory, only this
     * application knows the secret.
     */
    String secret() {
        Path directory = path;
        if (directory == null) {
            return freshSecret();
        }
        Path file = directory.resolve(SECRET_FILE);
        try {
            if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                publish(directory, file);
            }
            String secret = Files.readString(file, StandardCharsets.US_ASCII).strip();
            if (!secret.isEmpty()) {
                return secret;
            }
            LOG.warn("{} is empty: delete it, so that a new secret is made", file);
        } catch (IOException e) {
            LOG.warn(
                    "The secret in {} can be neither read nor written ({}): other instances on this machine cannot join",
                    file,
                    e.toString());
        }
        return freshSecret();
    }

    /** Writes a draft file and links it under the final name, unless another process was faster: no process reads half a secret. */
    private static void publish(Path directory, Path file) throws IOException {
        Path draft = Files.createTempFile(directory, "secret", ".tmp", permissions(directory, FILE_OF_OWNER_ONLY));
        try {
            Files.writeString(draft, freshSecret(), StandardCharsets.US_ASCII);
            Files.createLink(file, draft);
        } catch (FileAlreadyExistsException e) {
            LOG.debug("Another process made the secret", e);
        } catch (UnsupportedOperationException e) {
            Files.move(draft, file);
        } finally {
            Files.deleteIfExists(draft);
        }
    }

    private static String freshSecret() {
        byte[] bytes = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }
}
