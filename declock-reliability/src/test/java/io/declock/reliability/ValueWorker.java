// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability;

import io.declock.ComputeNodeSettings;
import io.declock.DecLock;
import io.declock.DecLockException;
import io.declock.Guarded;
import io.declock.Guarded.Held;
import io.declock.LockRequest;
import java.time.Duration;

/**
 * A process that again and again reads the value of one lock, which is a number, and stores the next one. It prints {@code saw TOKEN NUMBER} before it
 * stores, and {@code stored TOKEN NUMBER} when the memory node has the value.
 */
final class ValueWorker {
    /** A value of this length would be torn if it were not stored at one instant. */
    private static final int BYTES = 1_000;

    private ValueWorker() {}

    static String text(long number) {
        String one = number + " ";
        return one.repeat(BYTES / one.length());
    }

    static long number(String text) {
        long number = Long.parseLong(text.substring(0, text.indexOf(' ')));
        if (!text.equals(text(number))) {
            throw new IllegalStateException("torn: " + text);
        }
        return number;
    }

    /** Arguments: address of the memory node, own name, lease in milliseconds. */
    public static void main(String... arguments) throws Exception {
        DecLock locks = DecLock.builder()
                .memoryNodes(arguments[0])
                .settings(ComputeNodeSettings.builder()
                        .name(arguments[1])
                        .lease(Duration.ofMillis(Long.parseLong(arguments[2])))
                        .build())
                .open();
        Guarded<String> value = locks.guardedValues().of("value", String.class);
        LockRequest request = LockRequest.write("value").waitTime(Duration.ofSeconds(20));
        while (true) {
            try (Held<String> held = value.acquire(request)) {
                long token = held.handle().fencingToken();
                long seen = held.value().map(ValueWorker::number).orElse(0L);
                say("saw " + token + " " + seen);
                held.store(text(seen + 1));
                say("stored " + token + " " + (seen + 1));
            } catch (DecLockException lost) {
                say("failed " + lost.getClass().getSimpleName());
            }
        }
    }

    private static void say(String line) {
        System.out.println(line);
    }
}
