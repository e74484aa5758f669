// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.disni;

import io.declock.rdma.verbs.DeviceLimits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads properties of an open RDMA device from the kernel's files, because libdisni has no function that asks the device. */
final class DeviceFiles {
    private final Path descriptors;
    private final Path classes;

    /**
     * Makes a reader of the kernel's files.
     *
     * @param descriptors {@code /proc/self/fd}, or a test's directory
     * @param classes {@code /sys/class}, or a test's directory
     */
    DeviceFiles(Path descriptors, Path classes) {
        this.descriptors = descriptors;
        this.classes = classes;
    }

    /**
     * Returns the known properties of the device that is open as a file.
     *
     * @throws IOException if its files do not exist
     */
    DeviceLimits limits(int descriptor) throws IOException {
        Path file = Files.readSymbolicLink(descriptors.resolve(Integer.toString(descriptor)))
                .getFileName();
        String device = text(classes.resolve("infiniband_verbs").resolve(file).resolve("ibdev"));
        // The files do not show whether the device executes atomics. The memory node checks its own device, and only
        // that device executes atomics for others; this one must only be able to post them.
        return new DeviceLimits(device, 0, 0, 0, 0, true, isActive(device));
    }

    /** Returns whether any port is up: the port of an id is not known. */
    private boolean isActive(String device) throws IOException {
        Path ports = classes.resolve("infiniband").resolve(device).resolve("ports");
        try (DirectoryStream<Path> all = Files.newDirectoryStream(ports)) {
            for (Path port : all) {
                if (text(port.resolve("state")).endsWith("ACTIVE")) {
                    return true;
                }
            }
        }
        return false;
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8).strip();
    }
}
