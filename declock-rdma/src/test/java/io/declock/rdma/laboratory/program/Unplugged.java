// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory.program;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;

/**
 * Takes the device away under load: who works learns it with a clear error, and all processes stay alive and hear. So does who only
 * holds a lock and has nothing under way, whom nothing but the event of the removal can tell. In a machine of its own, because the
 * device does not come back, and in a process that has not used it itself, because the kernel waits for all who have.
 */
public final class Unplugged {
    /** What the lines of a success begin with. */
    private static final String SUCCESS = "UNPLUGGED";

    private static final Duration START = Duration.ofSeconds(90);
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String ADDRESS = "rdma://10.77.0.1:7420";

    private Unplugged() {}

    /** Exits with 0 if all went as it should. */
    public static void main(String... arguments) throws Exception {
        Process removal;
        try (TalkingProcess memoryNode = Child.start("memory-node");
                TalkingProcess holder = Child.start("holder");
                TalkingProcess worker = Child.start("worker")) {
            memoryNode.await("^@ here", START);
            memoryNode.say("serve " + ADDRESS + " nowait");
            memoryNode.await("^@ done serve", START);
            for (TalkingProcess process : List.of(holder, worker)) {
                process.await("^@ here", START);
                process.say("join " + ADDRESS);
                process.await("^@ done join", START);
            }
            holder.say("acquire write held 60000");
            holder.await("^@ granted held", START);
            worker.say("work /tmp/unplugged 2 4 60000 0");
            worker.await("^@ working", START);
            TimeUnit.SECONDS.sleep(2);

            removal = new ProcessBuilder("rdma", "link", "delete", "rxe0")
                    .inheritIO()
                    .start();
            long since = System.nanoTime();
            MatchResult loss = holder.await("^@ lost held (.*the RDMA device was removed.*)", SOON);
            report("the holder", since, loss);
            MatchResult failure = worker.await("^@ failed work \\d+ (.*)", SOON.plusSeconds(30));
            report("the worker", since, failure);
            for (TalkingProcess process : List.of(memoryNode, holder, worker)) {
                process.say("hello");
                process.await("^@ failed hello .*unknown command", SOON);
            }
        }
        if (!removal.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("the device is still there although nobody uses it any more");
        }
        System.exit(0);
    }

    private static void report(String who, long since, MatchResult what) {
        System.out.println(SUCCESS + " " + who + " after " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since)
                + " ms: " + what.group(1));
    }
}
