// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory.program;

import io.declock.testkit.ChildProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;

/**
 * Takes the device away under load: a process that works learns it with a clear error, and so does one that only holds a lock and has
 * nothing under way, which nothing but the event of the removal can tell. The kernel waits until nobody has the device open any more: the
 * removal returns while all processes live, and they stay alive and hear. Then the device comes back, and locks are to be had again. In a
 * machine of its own, because the memory node has to be started anew.
 */
public final class Unplugged {
    /** What the lines of a success begin with. */
    private static final String SUCCESS = "UNPLUGGED";

    private static final Duration START = Duration.ofSeconds(90);
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int TRIES = 20;
    private static final String ADDRESS = "rdma://10.77.0.1:7420";

    private Unplugged() {}

    /** Exits with 0 if all went as it should. */
    public static void main(String... arguments) throws Exception {
        try (ChildProcess memoryNode = Child.start("memory-node");
                ChildProcess holder = Child.start("holder");
                ChildProcess worker = Child.start("worker")) {
            memoryNode.await("^@ here", START);
            memoryNode.tell("serve " + ADDRESS + " nowait");
            memoryNode.await("^@ done serve", START);
            for (ChildProcess process : List.of(holder, worker)) {
                process.await("^@ here", START);
                process.tell("join " + ADDRESS);
                process.await("^@ done join", START);
            }
            holder.tell("acquire write held 60000");
            holder.await("^@ granted held", START);
            worker.tell("work /tmp/unplugged 2 4 60000 0");
            worker.await("^@ working", START);
            TimeUnit.SECONDS.sleep(2);

            long since = System.nanoTime();
            Process removal = rdma("link", "delete", "rxe0");
            MatchResult loss = holder.await("^@ lost held (.*the RDMA device was removed.*)", SOON);
            report("the holder", since, loss);
            if (!removal.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)) {
                showOpenFiles(List.of(memoryNode, holder, worker));
                throw new IllegalStateException(
                        "the device is still there, although nobody has anything on it any more");
            }
            System.out.println(
                    SUCCESS + " the device is gone after " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since)
                            + " ms, exit code " + removal.exitValue());
            MatchResult failure = worker.await("^@ failed work \\d+ (.*)", SOON.plusSeconds(30));
            report("the worker", since, failure);
            for (ChildProcess process : List.of(memoryNode, holder, worker)) {
                process.tell("hello");
                process.await("^@ failed hello .*unknown command", SOON);
            }
            replug(memoryNode, holder);
        }
        System.exit(0);
    }

    /** The device comes back: a process that knew the former one uses it, once a memory node does. */
    private static void replug(ChildProcess memoryNode, ChildProcess holder) throws Exception {
        memoryNode.kill();
        if (rdma("link", "add", "rxe0", "type", "rxe", "netdev", "eth0").waitFor() != 0) {
            throw new IllegalStateException("the device did not come back");
        }
        try (ChildProcess another = Child.start("another")) {
            another.await("^@ here", START);
            another.tell("serve " + ADDRESS + " nowait");
            another.await("^@ done serve", START);
            acquireAgain(holder);
        }
    }

    /** While it has no session with the new memory node yet, an acquisition may fail at once. */
    private static void acquireAgain(ChildProcess holder) throws Exception {
        for (int i = 0; i < TRIES; i++) {
            holder.tell("acquire write again-" + i + " 20000");
            if (holder.await("^@ (granted|refused) again-" + i, START).group(1).equals("granted")) {
                System.out.println(SUCCESS + " the holder has a lock again");
                return;
            }
            TimeUnit.SECONDS.sleep(1);
        }
        throw new IllegalStateException("no lock is to be had with the device that came back");
    }

    private static Process rdma(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("rdma"));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).inheritIO().start();
    }

    private static void showOpenFiles(List<ChildProcess> processes) throws Exception {
        for (ChildProcess process : processes) {
            System.out.println("open in process " + process.pid() + ":");
            new ProcessBuilder("ls", "-l", "/proc/" + process.pid() + "/fd")
                    .inheritIO()
                    .start()
                    .waitFor();
        }
    }

    private static void report(String who, long since, MatchResult what) {
        System.out.println(SUCCESS + " " + who + " after " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since)
                + " ms: " + what.group(1));
    }
}
