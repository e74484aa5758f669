// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability;

import io.declock.reliability.cluster.MemoryNodeJar;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Builds the container images from files of this machine. */
final class Images {
    static final String BASE = "declock-jre:test";
    static final String MEMORY_NODE = "declock-memory-node:test";

    private Images() {}

    /** A Java runtime and nothing else. */
    static void buildBase() throws IOException, InterruptedException {
        run(List.of(memoryNodeModule().resolve("base-image").toString(), BASE));
    }

    /** The memory node's own Dockerfile, on that base. */
    static void buildMemoryNode() throws IOException, InterruptedException {
        Path module = memoryNodeModule();
        run(List.of(
                "docker", "build", "-q", "--build-arg", "BASE_IMAGE=" + BASE, "-t", MEMORY_NODE, module.toString()));
    }

    private static Path memoryNodeModule() {
        return MemoryNodeJar.find().getParent().getParent();
    }

    private static void run(List<String> command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(command + " failed:\n" + output);
        }
    }
}
