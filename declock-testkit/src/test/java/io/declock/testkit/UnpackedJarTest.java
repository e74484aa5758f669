// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A program is unpacked, started once, and started again by the command. */
@Timeout(60)
class UnpackedJarTest {
    private static final List<String> JVM = List.of("-XX:+UseSerialGC", "-Dgiven=yes");
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    private Path executable;
    private Path unpacked;
    private Path said;

    @BeforeEach
    void makeProgram() throws IOException {
        executable = folder.resolve("program.jar");
        unpacked = folder.resolve("unpacked");
        said = folder.resolve("said");
        String entry = FakeProgram.class.getName().replace('.', '/') + ".class";
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, FakeProgram.class.getName());
        try (OutputStream file = Files.newOutputStream(executable);
                JarOutputStream jar = new JarOutputStream(file, manifest);
                InputStream bytes = FakeProgram.class.getClassLoader().getResourceAsStream(entry)) {
            jar.putNextEntry(new JarEntry(entry));
            Objects.requireNonNull(bytes).transferTo(jar);
        }
    }

    private UnpackedJar unpack(int status) throws Exception {
        return UnpackedJar.unpack(executable, unpacked, JVM, List.of(said.toString(), "" + status));
    }

    @Test
    void theRehearsalEndsByItselfAndHasAHomeOfItsOwn() throws Exception {
        UnpackedJar program = unpack(0);
        assertThat(program.jar()).isEqualTo(unpacked.toAbsolutePath().resolve("program.jar"));
        Path home = unpacked.toAbsolutePath().resolve("home-of-the-rehearsal");
        assertThat(said).content().isEqualToNormalizingNewlines("""
                        ends=onRefresh
                        home=%s
                        temporary=%s
                        given=yes
                        own=null
                        """.formatted(home, home));
    }

    @Test
    void theCommandStartsTheProgramWithTheArchiveOfItsClasses() throws Exception {
        List<String> command = unpack(0).command("-Down=too", "-Xshare:on", "-Xlog:class+load");
        command.addAll(List.of(said.toString(), "7"));
        ChildProcess.Finished program = ChildProcess.run(new ProcessBuilder(command), PATIENCE);
        assertThat(program.status()).as(program.text()).isEqualTo(7);
        assertThat(program.text()).containsPattern("FakeProgram source: shared objects file \\(top\\)");
        assertThat(said).content().contains("ends=null", "given=yes", "own=too");
    }

    @Test
    void whatWasUnpackedBeforeIsDeleted() throws Exception {
        Files.createDirectory(unpacked);
        Path former = Files.writeString(unpacked.resolve("former"), "former");
        unpack(0);
        assertThat(former).doesNotExist();
    }

    @Test
    void aProgramThatDoesNotStartIsToldWithItsStatus() {
        assertThatThrownBy(() -> unpack(3))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ended with 3");
    }
}
