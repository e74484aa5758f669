// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import io.declock.testkit.Commands;
import io.declock.testkit.Ports;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Processes of several releases on the loopback interface. Every memory node has a state directory. A worker whose name begins with {@code
 * former-4-} is of the release that speaks version 4 of the wire protocol, and so on; any other one is of the present release.
 */
public final class ReleasesPlatform implements Platform {
    private static final String FORMER = "former-";

    private final LocalMachine machine;
    private final Map<String, Integer> ports = new HashMap<>();
    private final boolean program;
    private Release release;
    private int starts;

    /**
     * Makes one that runs only the workers' database.
     *
     * @param release release of the memory node's next lives
     * @param program whether a present memory node is the program that is shipped, or only the library
     */
    public ReleasesPlatform(Duration lease, Release release, boolean program) {
        this.machine = new LocalMachine("declock-releases-", lease);
        this.release = release;
        this.program = program;
    }

    /** The memory node's next life is of another release. */
    public void update(Release next) {
        release = next;
    }

    /** Returns the name of a worker of a release. */
    public static String worker(Release of, String name) {
        return of.equals(Release.PRESENT) ? name : FORMER + of.wireVersion() + "-" + name;
    }

    @Override
    public Site site() {
        return machine.site();
    }

    @Override
    public Program startMemoryNode(int life, boolean hadEarlierLife) {
        return startMemoryNode("mn");
    }

    /** Starts a further memory node, or the next life of one. */
    public Program startMemoryNode(String id) {
        int port = ports.computeIfAbsent(id, first -> Ports.free());
        List<String> arguments = MemoryNodeCommand.arguments(id, port, site().lease());
        List<String> command;
        if (program && release.equals(Release.PRESENT)) {
            command = MemoryNodeCommand.of(id, port, site().lease());
        } else {
            List<String> jvm = new ArrayList<>(LocalProgram.JVM);
            jvm.add("-Dlogback.configurationFile=worker-logback.xml");
            command = Commands.java(jvm, release.classPath(), CoreMemoryNode.class.getName(), arguments);
        }
        command.add("--declock.memory-node.wait-out-old-sessions=false");
        command.add(
                "--declock.memory-node.state-directory=" + site().directory().resolve("state-" + id));
        return machine.startMemoryNode(id + "-" + ++starts, command);
    }

    /** Returns the address of a memory node that was started. */
    public String address(String id) {
        return "tcp://" + Ports.LOOPBACK + ":" + ports.get(id);
    }

    @Override
    public Node launch(String name) {
        Release of = name.startsWith(FORMER)
                ? Release.former(Integer.parseInt(name.substring(FORMER.length(), name.indexOf('-', FORMER.length()))))
                : Release.PRESENT;
        return new PlainNode(machine.startWorker(of.classPath(), name, address("mn")));
    }

    @Override
    public void close() {
        machine.close();
    }
}
