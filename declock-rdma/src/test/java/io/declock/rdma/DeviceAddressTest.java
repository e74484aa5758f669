// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.spi.AdapterException;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A GID table as the kernel shows it. */
class DeviceAddressTest {
    @TempDir
    Path devices;

    @BeforeEach
    void table() throws IOException {
        gid("mlx5_0", 1, 0, "fe80:0000:0000:0000:5054:00ff:fe77:0001");
        gid("mlx5_0", 1, 2, "0000:0000:0000:0000:0000:ffff:0a4d:0001");
        gid("mlx5_0", 1, 10, "0000:0000:0000:0000:0000:ffff:0a4d:0002");
        gid("mlx5_0", 2, 0, "fe80:0000:0000:0000:5054:00ff:fe77:0002");
        gid("rxe0", 1, 0, "0000:0000:0000:0000:0000:ffff:0a4d:0003");
    }

    private void gid(String device, int port, int index, String gid) throws IOException {
        Path gids = devices.resolve(device).resolve("ports/" + port + "/gids");
        Files.createDirectories(gids);
        Files.writeString(gids.resolve(Integer.toString(index)), gid + "\n");
    }

    @Test
    void theFirstIpv4AddressOfTheFirstDeviceIsTaken() throws Exception {
        assertThat(DeviceAddress.find(devices, null, 1, -1)).isEqualTo(InetAddress.getByName("10.77.0.1"));
    }

    @Test
    void deviceAndIndexChooseAnother() throws Exception {
        assertThat(DeviceAddress.find(devices, "rxe0", 1, -1)).isEqualTo(InetAddress.getByName("10.77.0.3"));
        assertThat(DeviceAddress.find(devices, "mlx5_0", 1, 10)).isEqualTo(InetAddress.getByName("10.77.0.2"));
    }

    @Test
    void withoutDevicesThereIsNoneAndNobodyAsked() throws Exception {
        assertThat(DeviceAddress.find(devices.resolve("none"), null, 1, -1)).isNull();
    }

    @Test
    void whatWasAskedForAndIsNotThereIsNamed() {
        assertThatThrownBy(() -> DeviceAddress.find(devices, "mlx4_0", 1, -1))
                .isInstanceOf(AdapterException.class)
                .hasMessage("There is no RDMA device 'mlx4_0' on this machine; there are: mlx5_0, rxe0.");
        assertThatThrownBy(() -> DeviceAddress.find(devices, "mlx5_0", 2, -1))
                .hasMessageContaining("has no GID that is an IPv4 address");
        assertThatThrownBy(() -> DeviceAddress.find(devices, "mlx5_0", 1, 0))
                .hasMessageContaining("has no GID of index 0 that is an IPv4 address");
    }
}
