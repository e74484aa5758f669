// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import io.declock.DecLock;
import io.declock.internal.tcp.wire.Wire;
import io.declock.testkit.Commands;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A release of the library, with which programs are started.
 *
 * @param wireVersion the newest version of the wire protocol that it speaks
 * @param core the jar, or directory, of its {@code declock-core}
 */
public record Release(int wireVersion, Path core) {
    /** The release that is being built. */
    public static final Release PRESENT = new Release(Wire.VERSION, placeOf(DecLock.class));

    private static final String FOLDER = "/former/";
    private static final String PREFIX = "declock-core-wire-";

    /** Returns the former releases that are kept, the oldest first. */
    public static List<Release> former() {
        return digests().keySet().stream()
                .map(file -> new Release(versionIn(file), resource(file)))
                .sorted((one, other) -> Integer.compare(one.wireVersion, other.wireVersion))
                .toList();
    }

    /** Returns the former release that speaks a version. */
    public static Release former(int wireVersion) {
        return former().stream()
                .filter(release -> release.wireVersion == wireVersion)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no release of version " + wireVersion + " is kept"));
    }

    private static int versionIn(String file) {
        return Integer.parseInt(file.substring(PREFIX.length(), file.lastIndexOf('.')));
    }

    private static Map<String, String> digests() {
        try {
            return Files.readString(resource("SHA256SUMS"))
                    .lines()
                    .map(line -> line.split(" +", 2))
                    .collect(Collectors.toMap(words -> words[1], words -> words[0]));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Path resource(String file) {
        URL found = Release.class.getResource(FOLDER + file);
        if (found == null) {
            throw new IllegalStateException("no resource " + FOLDER + file);
        }
        return path(found.toString());
    }

    private static Path placeOf(Class<?> type) {
        return path(type.getProtectionDomain().getCodeSource().getLocation().toString());
    }

    private static Path path(String place) {
        return Path.of(URI.create(place)).toAbsolutePath();
    }

    /**
     * Returns this program's class path with this release's core first: the present one may also come by the manifest of another jar. Each process
     * tells which one it uses ({@link #isOrigin}).
     */
    List<Path> classPath() {
        List<Path> entries = new ArrayList<>(List.of(core));
        Commands.classPath().stream()
                .filter(entry -> !entry.equals(PRESENT.core))
                .forEach(entries::add);
        return entries;
    }

    /** Returns whether a worker's answer to {@code origin} names this release. */
    public boolean isOrigin(String answer) {
        return path(answer).equals(core);
    }

    /** Returns whether a kept jar is the one whose digest was recorded. */
    boolean isUnchanged() throws IOException, NoSuchAlgorithmException {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(core));
        return HexFormat.of().formatHex(digest).equals(digests().get(String.valueOf(core.getFileName())));
    }

    /** Returns a number that the classes of this release have for the wire protocol. */
    int number(String constant) throws IOException, ReflectiveOperationException {
        URL[] own = {core.toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(own, ClassLoader.getPlatformClassLoader())) {
            return loader.loadClass(Wire.class.getName()).getField(constant).getInt(null);
        }
    }

    @Override
    public String toString() {
        return "the release of wire version " + wireVersion;
    }
}
