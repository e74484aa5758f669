// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory;

import io.declock.rdma.laboratory.program.Child;
import io.declock.testkit.ChildProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Boots emulated machines. Killing one is what the death of a node is: nothing is sent, nothing is closed. */
final class VirtualMachine {
    private VirtualMachine() {}

    /**
     * Boots one, with its console to talk to.
     *
     * @param directory gets what the machine writes into {@code /lab/results}
     * @param command what it runs
     * @param settings {@code key=value}, as {@code ./lab describe} takes them
     */
    static ChildProcess boot(String name, Path directory, String command, List<String> settings)
            throws IOException, InterruptedException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("command"), command + "\n", StandardCharsets.UTF_8);
        List<String> describe = new ArrayList<>(List.of("describe", directory.toString(), "node=" + name));
        describe.addAll(settings);
        Laboratory.output(describe.toArray(String[]::new));
        return ChildProcess.echoed(name, Laboratory.command("boot", directory.toString()), Child.FAILED);
    }
}
