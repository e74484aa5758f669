// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.spi.AdapterException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the internet address of an RDMA device, by which the connection manager chooses device, port and GID. The address is read from the
 * GID table in {@code /sys/class/infiniband}, where RoCE v2 keeps IPv4 addresses as {@code ::ffff:a.b.c.d}.
 */
final class DeviceAddress {
    static final Path DEVICES = Path.of("/sys/class/infiniband");

    private DeviceAddress() {}

    /**
     * Finds the address.
     *
     * @param device device, null for the first that has an address
     * @param port port of the device
     * @param gidIndex index in its table, -1 for the first with an IPv4 address
     * @return null if there is no device, or no device has an address and none was requested
     * @throws AdapterException if the requested device or index does not exist
     */
    static @Nullable InetAddress find(@Nullable String device, int port, int gidIndex) throws AdapterException {
        return find(DEVICES, device, port, gidIndex);
    }

    static @Nullable InetAddress find(Path devices, @Nullable String device, int port, int gidIndex)
            throws AdapterException {
        List<String> names = list(devices);
        if (device != null && !names.contains(device)) {
            throw new AdapterException(
                    "There is no RDMA device '" + device + "' on this machine"
                            + (names.isEmpty() ? "." : "; there are: " + String.join(", ", names) + "."),
                    "Correct declock.rdma.device, or load the device's driver ('rdma link' lists devices).",
                    null);
        }
        for (String name : device == null ? names : List.of(device)) {
            InetAddress address = addressOf(devices.resolve(name).resolve("ports/" + port + "/gids"), gidIndex);
            if (address != null) {
                return address;
            }
        }
        if (device != null || gidIndex >= 0) {
            throw new AdapterException(
                    "Port " + port + " of RDMA device '" + (device == null ? String.join(", ", names) : device)
                            + "' has no GID" + (gidIndex >= 0 ? " of index " + gidIndex : "")
                            + " that is an IPv4 address.",
                    "Assign an IPv4 address to its network interface, correct declock.rdma.port or"
                            + " declock.rdma.gid-index, or set the address with declock.rdma.address.",
                    null);
        }
        return null;
    }

    private static List<String> list(Path directory) {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        } catch (IOException | UncheckedIOException e) {
            return List.of();
        }
    }

    private static @Nullable InetAddress addressOf(Path gids, int gidIndex) {
        List<String> indices = new ArrayList<>(list(gids));
        indices.sort((a, b) -> Integer.compare(Integer.parseInt(a), Integer.parseInt(b)));
        for (String index : gidIndex >= 0 ? List.of(Integer.toString(gidIndex)) : indices) {
            InetAddress address = read(gids.resolve(index));
            if (address != null) {
                return address;
            }
        }
        return null;
    }

    private static @Nullable InetAddress read(Path gid) {
        try {
            byte[] bytes = HexFormat.of().parseHex(Files.readString(gid).strip().replace(":", ""));
            // Java converts a mapped address to an IPv4 address.
            InetAddress address = InetAddress.getByAddress(bytes);
            return address instanceof Inet4Address ? address : null;
        } catch (IOException | IllegalArgumentException e) {
            // An empty entry of the table cannot be read.
            return null;
        }
    }
}
