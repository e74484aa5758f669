// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.disni;

import io.declock.rdma.verbs.DeviceLimits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the kernel's files tell about an open RDMA device, for want of a function in libdisni that asks the device. */
final class DeviceFiles {
    private final Path descriptors;
    private final Path classes;

    /** Makes one for {@code /proc/self/fd} and {@code /sys/class}, or what stands for them. */
    DeviceFiles(Path descriptors, Path classes) {
        this.descriptors = descriptors;
        this.classes = classes;
    }

    /**
     * Returns what is known of the device that is open as a file.
     *
     * @throws IOException if its files are not there
     */
    DeviceLimits limits(int descriptor) throws IOException {
        Path file = Files.readSymbolicLink(descriptors.resolve(Integer.toString(descriptor)))
                .getFileName();
        String device = text(classes.resolve("infiniband_verbs").resolve(file).resolve("ibdev"));
        // Whether it executes atomics is not told: the memory node's device is asked by the memory node, and those
        // executing an
        // atomic for others are those that can post one.
        return new DeviceLimits(device, 0, 0, 0, 0, 0, 0, 0, true, 0, isActive(device));
    }

    /** Nothing tells which port an id has: one that is up is enough. */
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
