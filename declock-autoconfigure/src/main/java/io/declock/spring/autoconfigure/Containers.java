// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether this process runs in a container. A container has a loopback interface of its own, so instances in different
 * containers do not reach each other on it, even on one machine. Stateless.
 */
final class Containers {
    private static final List<String> RUNTIMES = List.of("docker", "kubepods", "containerd", "libpod", "lxc", "crio");
    private static final Map<String, String> VARIABLES = new LinkedHashMap<>();

    static {
        VARIABLES.put("KUBERNETES_SERVICE_HOST", "Kubernetes");
        VARIABLES.put("ECS_CONTAINER_METADATA_URI_V4", "Amazon ECS");
        VARIABLES.put("ECS_CONTAINER_METADATA_URI", "Amazon ECS");
        VARIABLES.put("K_SERVICE", "Knative or Cloud Run");
        VARIABLES.put("CONTAINER_APP_NAME", "Azure Container Apps");
        VARIABLES.put("FLY_APP_NAME", "Fly.io");
        VARIABLES.put("container", "a container");
    }

    private Containers() {}

    /** Returns the evidence that this process runs in a container, or null if there is none. */
    static @Nullable String evidence() {
        return evidence(Path.of("/"), System::getenv);
    }

    /**
     * As above.
     *
     * @param root root directory of the file system
     * @param environment looks up environment variables
     */
    static @Nullable String evidence(Path root, UnaryOperator<@Nullable String> environment) {
        if (Files.exists(root.resolve(".dockerenv"))) {
            return "Docker: /.dockerenv exists";
        }
        if (Files.exists(root.resolve("run/.containerenv"))) {
            return "Podman: /run/.containerenv exists";
        }
        for (Map.Entry<String, String> variable : VARIABLES.entrySet()) {
            String value = environment.apply(variable.getKey());
            if (value != null && !value.isEmpty()) {
                return variable.getValue() + ": the environment variable " + variable.getKey() + " is set";
            }
        }
        String group = controlGroup(root);
        return group != null ? group : rootFileSystem(root);
    }

    private static @Nullable String controlGroup(Path root) {
        for (String line : lines(root.resolve("proc/self/cgroup"))) {
            String path = line.substring(line.lastIndexOf(':') + 1);
            for (String runtime : RUNTIMES) {
                if (path.contains("/" + runtime) || path.contains(runtime + "-")) {
                    return "/proc/self/cgroup says " + path;
                }
            }
        }
        return null;
    }

    /** With cgroup v2 a container may not see the name of its group, but its root file system is an overlay on an image. */
    private static @Nullable String rootFileSystem(Path root) {
        for (String line : lines(root.resolve("proc/self/mountinfo"))) {
            String[] fields = line.split(" ");
            int separator = List.of(fields).indexOf("-");
            boolean ofRoot = fields.length > 4 && fields[4].equals("/");
            if (ofRoot && separator > 0 && separator + 1 < fields.length && fields[separator + 1].equals("overlay")) {
                return "the root file system is an overlay, as that of a container";
            }
        }
        return null;
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            // Not on Linux, or not readable: no evidence.
            return List.of();
        }
    }
}
