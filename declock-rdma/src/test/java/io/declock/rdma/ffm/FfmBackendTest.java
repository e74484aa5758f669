// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.rdma.verbs.Errno;
import io.declock.testkit.Needs;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What can be seen of the libraries on a machine without a device. */
class FfmBackendTest {
    @Test
    void aMachineWithoutADeviceSaysSo() throws Exception {
        Needs.that(
                FfmBackendTest::librariesAreHere,
                "the RDMA libraries without a device",
                "libibverbs.so.1 and librdmacm.so.1 (Debian: libibverbs1 librdmacm1)");
        if (Files.isDirectory(Path.of("/sys/class/infiniband"))) {
            // With a device there is nothing to refuse; the laboratory's tests take over.
            return;
        }
        FfmBackend backend = FfmBackend.load();

        assertThatThrownBy(() -> backend.provider().openCm().createEventChannel())
                .isInstanceOf(NativeCallException.class)
                .hasMessage("rdma_create_event_channel: No such device (ENODEV, errno 19)")
                .satisfies(e -> assertThat(((NativeCallException) e).errno()).isEqualTo(Errno.ENODEV.number()));
    }

    private static boolean librariesAreHere() {
        try {
            NativeLibrary.load("libibverbs.so.1");
            NativeLibrary.load("librdmacm.so.1");
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void aMissingLibraryAndAMissingFunctionAreNamed() {
        assertThatThrownBy(() -> NativeLibrary.load("libdeclock-none.so.1"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("libdeclock-none.so.1");
        assertThatThrownBy(() -> NativeLibrary.libc().bindInt("declock_no_such_function"))
                .hasMessage("libc has no function declock_no_such_function");
    }

    @Test
    void aWaitIsWokenThroughItsEventfd() throws Exception {
        LibC libc = LibC.load();
        int eventfd = libc.eventfd();
        int silent = libc.eventfd();

        assertThat(libc.awaitReadable(silent, eventfd, 0)).isFalse();
        libc.raise(eventfd);
        assertThat(libc.awaitReadable(silent, eventfd, -1)).isTrue();
        assertThat(libc.lower(eventfd)).isTrue();
        assertThat(libc.lower(eventfd)).isFalse();
        assertThat(libc.isOpen(eventfd)).isTrue();
        libc.close(eventfd);
        assertThat(libc.isOpen(eventfd)).isFalse();
        libc.close(silent);
        assertThatThrownBy(() -> libc.close(eventfd)).hasMessageContaining("close: ");
    }

    @Test
    void addressesSurviveTheirStruct() throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            for (String host : new String[] {"10.77.0.1", "::1", "fe80::1"}) {
                InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(host), 7420);
                MemorySegment struct = SocketAddresses.write(arena, address);
                assertThat(SocketAddresses.read(struct)).isEqualTo(address);
            }
            assertThatThrownBy(() -> SocketAddresses.write(arena, InetSocketAddress.createUnresolved("nowhere", 1)))
                    .hasMessageContaining("nowhere");
        }
    }

    @Test
    void errorsAreExplained() {
        assertThat(Errno.describe(12)).isEqualTo("Cannot allocate memory (ENOMEM, errno 12)");
        assertThat(Errno.describe(4711)).isEqualTo("error (errno 4711)");
    }
}
