// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory.program;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A {@link Participant} in a process of its own, started as this one was. */
public final class Child {
    private Child() {}

    /** Starts one that calls itself {@code name}. */
    public static TalkingProcess start(String name) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (!option.startsWith("-Xmx")) {
                command.add(option);
            }
        }
        command.addAll(
                List.of("-Xmx192m", "-cp", System.getProperty("java.class.path"), Participant.class.getName(), name));
        return new TalkingProcess(
                name, new ProcessBuilder(command).redirectErrorStream(true).start());
    }
}
