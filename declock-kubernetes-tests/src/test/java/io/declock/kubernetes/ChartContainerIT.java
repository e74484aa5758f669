// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.reliability.cluster.MemoryNodeJar;
import io.declock.reliability.cluster.Patience;
import io.declock.testkit.ChildProcess;
import io.declock.testkit.ChildProcess.Finished;
import io.declock.testkit.Commands;
import io.declock.testkit.Needs;
import io.declock.testkit.Ports;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The image in a container with the environment, the security context and the memory limit of the chart's pod. Docker is no cluster: its
 * volumes, probes and network are this test's. The image is that of the Dockerfile, or what {@code declock.memoryNodeImage} names.
 */
@Timeout(400)
class ChartContainerIT {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String BASE = "declock-jre:test";
    private static final String BUILT = "declock-memory-node:test";
    private static final String CONTAINER =
            "declock-chart-" + ProcessHandle.current().pid();
    private static String image;

    @TempDir
    private Path directory;

    @BeforeAll
    static void buildImage() throws Exception {
        Needs.that(
                () -> Commands.onPath("docker") && answers(),
                "ChartContainerIT",
                "a Docker daemon that answers (Debian: apt-get install docker.io; dockerd &)");
        image = System.getProperty("declock.memoryNodeImage", "");
        if (image.isEmpty()) {
            image = BUILT;
            Path module = MemoryNodeJar.find().getParent().getParent();
            run(module.resolve("base-image").toString(), BASE);
            run("docker", "build", "-q", "--build-arg", "BASE_IMAGE=" + BASE, "-t", BUILT, module.toString());
        }
    }

    private static boolean answers() {
        try {
            return finished("docker", "info").status() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static Finished finished(String... command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        return ChildProcess.run(builder, PATIENCE);
    }

    private static String run(String... command) throws IOException, InterruptedException {
        Finished finished = finished(command);
        assertThat(finished.status())
                .as("%s: %s", Arrays.toString(command), finished.text())
                .isZero();
        return finished.text().strip();
    }

    @Test
    void itRunsAsThePodDoesAndEndsInOrder() throws Exception {
        Pod pod = Pod.of(Manifests.of(Chart.render(), StatefulSet.class).get(0), 0);
        int port = Ports.free();
        run(command(pod, port).toArray(String[]::new));
        try {
            String ready = pod.container().getReadinessProbe().getHttpGet().getPath();
            new Patience(Duration.ofSeconds(90))
                    .until(() -> Probe.status(port, ready) == 200, () -> "not ready: " + logs());
            assertThat(Files.list(directory.resolve("declock/state"))).isNotEmpty();
            run(
                    "docker",
                    "stop",
                    "--time",
                    pod.spec().getTerminationGracePeriodSeconds().toString(),
                    CONTAINER);
            // 128 and SIGTERM: it ended by itself. 137 would be that it was killed, for its memory or because it did
            // not end.
            assertThat(run("docker", "inspect", "--format", "{{.State.ExitCode}}", CONTAINER))
                    .isEqualTo("143");
            assertThat(logs()).contains("stopped; services still joined: 0");
        } finally {
            run("docker", "rm", "--force", CONTAINER);
        }
    }

    private static String logs() {
        try {
            return finished("docker", "logs", CONTAINER).text();
        } catch (IOException e) {
            return e.toString();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return e.toString();
        }
    }

    /** What Kubernetes would tell its container runtime. */
    private List<String> command(Pod pod, int managementPort) throws IOException {
        Container container = pod.container();
        PodSecurityContext security = pod.spec().getSecurityContext();
        List<String> command = new ArrayList<>(List.of(
                "docker",
                "run",
                "--detach",
                "--name",
                CONTAINER,
                "--publish",
                "127.0.0.1:" + managementPort + ":7421"));
        command.add("--user=" + security.getRunAsUser() + ":" + security.getRunAsGroup());
        container.getSecurityContext().getCapabilities().getDrop().forEach(all -> command.add("--cap-drop=" + all));
        if (container.getSecurityContext().getReadOnlyRootFilesystem()) {
            command.add("--read-only");
        }
        if (!container.getSecurityContext().getAllowPrivilegeEscalation()) {
            command.add("--security-opt=no-new-privileges");
        }
        String memory = container.getResources().getLimits().get("memory").toString();
        command.add("--memory=" + memory.replace("Mi", "m"));
        for (VolumeMount mount : container.getVolumeMounts()) {
            command.add("--volume=" + volume(mount.getMountPath()) + ":" + mount.getMountPath());
        }
        pod.environment().forEach((name, value) -> command.add("--env=" + name + "=" + value));
        command.add(image);
        return command;
    }

    /** A directory that the pod's group may write, as the kubelet makes it for {@code fsGroup}. */
    private Path volume(String mountPath) throws IOException {
        Path made = Files.createDirectory(directory.resolve(Path.of(mountPath).getFileName()));
        return Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxrwxrwx"));
    }
}
