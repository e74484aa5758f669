// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kubernetes;

import io.declock.reliability.cluster.MemoryNodeJar;
import io.declock.reliability.cluster.Patience;
import io.declock.testkit.ChildProcess;
import io.declock.testkit.Ports;
import io.fabric8.kubernetes.api.model.Probe;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The memory node's program as a process with the environment of a pod, and nothing of this process'. Only where it listens and keeps its
 * state is given, because all pods are on this machine.
 */
final class StartedPod implements AutoCloseable {
    private static final Patience START = new Patience(Duration.ofSeconds(90));

    private final Pod pod;
    private final ChildProcess process;
    private final int managementPort;

    private StartedPod(Pod pod, ChildProcess process, int managementPort) {
        this.pod = pod;
        this.process = process;
        this.managementPort = managementPort;
    }

    /**
     * Starts one, and waits until its startup probe is answered.
     *
     * @param port where it listens for services
     * @param arguments what else is different on this machine
     */
    static StartedPod start(Pod pod, Path directory, int port, String... arguments) throws IOException {
        int managementPort = Ports.free();
        List<String> command = MemoryNodeJar.start();
        command.addAll(List.of("--server.port=" + managementPort, "--declock.memory-node.port=" + port));
        if (pod.environment().containsKey("DECLOCK_MEMORYNODE_STATEDIRECTORY")) {
            command.add("--declock.memory-node.state-directory=" + directory.resolve(pod.name()));
        }
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(command)).directory(directory.toFile());
        Map<String, String> environment = builder.environment();
        environment.clear();
        environment.putAll(pod.environment());
        StartedPod started = new StartedPod(
                pod, ChildProcess.logged(pod.name(), builder, directory.resolve(pod.name() + ".log")), managementPort);
        START.until(
                () -> started.isAnswered(pod.container().getStartupProbe()),
                () -> !started.process.isAlive(),
                started.process::log);
        return started;
    }

    /** Returns whether a probe succeeds. */
    boolean isAnswered(Probe probe) {
        return io.declock.kubernetes.Probe.status(
                        managementPort, probe.getHttpGet().getPath())
                == 200;
    }

    boolean isAlive() {
        return isAnswered(pod.container().getLivenessProbe());
    }

    boolean isReady() {
        return isAnswered(pod.container().getReadinessProbe());
    }

    String log() {
        return process.log();
    }

    /** Ends it as Kubernetes does. */
    void terminate() {
        process.terminate();
    }

    @Override
    public void close() {
        process.close();
    }
}
