// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.testcontainers;

import io.declock.testkit.Needs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.utility.DockerImageName;

/** The memory node's image, made of files of this machine: no registry is asked. */
final class MemoryNodeImage {
    /** Its name, for a container that is declared before the image is built. */
    static final String NAME = DecLockContainer.IMAGE + ":test";

    private static final String BASE = "declock-jre:test";

    private MemoryNodeImage() {}

    /** Builds it, or aborts the test where there is no Docker. */
    static DockerImageName build() {
        Needs.that(
                () -> DockerClientFactory.instance().isDockerAvailable(),
                "DecLockContainerIT",
                "a Docker daemon that answers (Debian: apt-get install docker.io; dockerd &)");
        Path module = Path.of("..", "declock-memory-node").toAbsolutePath().normalize();
        run(List.of(module.resolve("base-image").toString(), BASE));
        run(List.of("docker", "build", "-q", "--build-arg", "BASE_IMAGE=" + BASE, "-t", NAME, module.toString()));
        return DockerImageName.parse(NAME);
    }

    private static void run(List<String> command) {
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
            Process process = builder.start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(command + " failed:\n" + output);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
