// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory.program;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;

/**
 * Takes the device away under load: who works learns it with a clear error, and both processes stay alive and hear. In a machine of
 * its own, because the device does not come back, and in a process that has not used it itself, because the kernel waits for all who have.
 */
public final class Unplugged {
    /** What the last line of a success begins with. */
    public static final String SUCCESS = "UNPLUGGED";

    private static final Duration START = Duration.ofSeconds(90);
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String ADDRESS = "rdma://10.77.0.1:7420";

    private Unplugged() {}

    /** Exits with 0 if all went as it should. */
    public static void main(String... arguments) throws Exception {
        Process removal;
        try (TalkingProcess memoryNode = Child.start("memory-node");
                TalkingProcess worker = Child.start("worker")) {
            memoryNode.await("^@ here", START);
            memoryNode.say("serve " + ADDRESS + " nowait");
            memoryNode.await("^@ done serve", START);
            worker.await("^@ here", START);
            worker.say("join " + ADDRESS);
            worker.await("^@ done join", START);
            worker.say("work /tmp/unplugged 2 4 60000 0");
            worker.await("^@ working", START);
            TimeUnit.SECONDS.sleep(2);

            removal = new ProcessBuilder("rdma", "link", "delete", "rxe0")
                    .inheritIO()
                    .start();
            long since = System.nanoTime();
            MatchResult failure = worker.await("^@ failed work \\d+ (.*)", SOON.plusSeconds(30));
            System.out.println(SUCCESS + " after " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since) + " ms: "
                    + failure.group(1));
            for (TalkingProcess process : new TalkingProcess[] {memoryNode, worker}) {
                process.say("hello");
                process.await("^@ failed hello .*unknown command", SOON);
            }
        }
        if (!removal.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("the device is still there although nobody uses it any more");
        }
        System.exit(0);
    }
}
