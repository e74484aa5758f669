// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.disni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.declock.rdma.verbs.CmEvent;
import io.declock.rdma.verbs.DeviceLimits;
import io.declock.rdma.verbs.Errno;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said where libdisni cannot be used, and what is read instead of asking a device. */
class LibDisniTest {
    @TempDir
    Path directory;

    private static boolean isInstalled() {
        String file = System.mapLibraryName("disni");
        return Arrays.stream(System.getProperty("java.library.path").split(File.pathSeparator))
                .anyMatch(each -> Files.exists(Path.of(each, file)));
    }

    @Test
    void aMissingLibrarySaysHowToGetIt() {
        assumeThat(isInstalled()).isFalse();
        // A second attempt must say it, too.
        for (int attempt = 0; attempt < 2; attempt++) {
            DisniUnavailableException failure =
                    catchThrowableOfType(DisniUnavailableException.class, DisniBackend::load);
            assertThat(failure).hasMessageContaining("java.library.path is");
            assertThat(failure.action())
                    .contains("github.com/zrlio/disni")
                    .contains("LD_LIBRARY_PATH")
                    .contains("-Djava.library.path")
                    .contains("ffm");
        }
    }

    @Test
    void aJavaThatHidesWhatDisniUsesSaysWhichOptionItNeeds() {
        DisniUnavailableException failure =
                catchThrowableOfType(DisniUnavailableException.class, LibDisni::needsExport);
        assertThat(failure.action()).contains("--add-exports java.base/sun.nio.ch=ALL-UNNAMED");
    }

    @Test
    void anotherLayoutIsRefused() throws Exception {
        LibDisni.check("struct ibv_wc", 48, 48);
        assertThatThrownBy(() -> LibDisni.check("struct ibv_wc", 40, 48))
                .isInstanceOf(DisniUnavailableException.class)
                .hasMessageContaining("struct ibv_wc is 40, but 48 is expected");
    }

    @Test
    void errorsAreReadFromMessages() {
        assertThat(Errno.numberIn("j2c::post_send: ibv_post_send failed: Cannot allocate memory\n"))
                .isEqualTo(12);
        assertThat(Errno.numberIn("j2c::post_send: queuepair null")).isEqualTo(5);
    }

    @Test
    void aStatusThatWasDroppedIsNotSaidToBeANumber() {
        assertThat(new DeviceLimits("rxe0", 0, 0, 0, 0, true, true).describeQueuePairs())
                .isEmpty();
        assertThat(new DeviceLimits("rxe0", 7, 9, 0, 0, true, true).describeQueuePairs())
                .isEqualTo(" (it allows 7 in all, with at most 9 requests each)");
        assertThat(CmEvent.UNTOLD).isNegative();
    }

    @Test
    void aDeviceIsFoundByItsOpenFile() throws Exception {
        DeviceFiles files = new DeviceFiles(directory.resolve("fd"), directory.resolve("class"));
        Files.createDirectories(directory.resolve("fd"));
        Files.createSymbolicLink(directory.resolve("fd/77"), Path.of("/dev/infiniband/uverbs3"));
        write("class/infiniband_verbs/uverbs3/ibdev", "mlx5_1\n");
        write("class/infiniband/mlx5_1/ports/1/state", "1: DOWN\n");
        write("class/infiniband/mlx5_1/ports/2/state", "2: INIT\n");
        assertThat(files.limits(77).device()).isEqualTo("mlx5_1");
        assertThat(files.limits(77).portActive()).isFalse();

        write("class/infiniband/mlx5_1/ports/2/state", "4: ACTIVE\n");
        assertThat(files.limits(77).portActive()).isTrue();
        assertThatThrownBy(() -> files.limits(78)).isInstanceOf(IOException.class);
    }

    private void write(String file, String text) throws IOException {
        Path path = directory.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}
