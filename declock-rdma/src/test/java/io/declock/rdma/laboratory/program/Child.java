// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory.program;

import io.declock.testkit.ChildProcess;
import io.declock.testkit.Commands;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/** A {@link Participant} in a process of its own, started as this one was. */
public final class Child {
    /** How a participant says that a command failed. */
    public static final String FAILED = "^@ failed";

    private Child() {}

    /** Starts one that calls itself {@code name}. */
    public static ChildProcess start(String name) throws IOException {
        List<String> options =
                new ArrayList<>(ManagementFactory.getRuntimeMXBean().getInputArguments());
        options.removeIf(option -> option.startsWith("-Xmx"));
        options.add("-Xmx192m");
        List<String> command = Commands.java(options, Participant.class.getName(), List.of(name));
        return ChildProcess.echoed(name, new ProcessBuilder(command), FAILED);
    }
}
