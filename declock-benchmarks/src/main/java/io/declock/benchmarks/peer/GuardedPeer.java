// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.peer;

import io.declock.Guarded;
import io.declock.LockMode;
import io.declock.LockRequest;
import io.declock.ValueCodec;
import java.time.Duration;
import java.util.Map;

/** DecLock's guarded values, with the same texts as {@link ValueOf}. */
final class GuardedPeer implements LockUnderTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final DecLockPeer peer;
    private final PerName<Guarded<String>> values;

    GuardedPeer(DecLockPeer peer) {
        this.peer = peer;
        this.values = new PerName<>(name -> peer.node().guardedValues().of(name, ValueCodec.text()));
    }

    @Override
    public Held lock(String name, LockMode mode) throws Exception {
        Guarded.Held<String> held =
                values.get(name).acquire(LockRequest.of(name, mode).waitTime(PATIENCE));
        return () -> {
            if (mode.isExclusive()) {
                held.set(held.value().orElse(ValueOf.TEXT));
            }
            held.close();
        };
    }

    @Override
    public Map<String, Long> counters() {
        return peer.counters();
    }

    @Override
    public void close() {
        peer.close();
    }
}
