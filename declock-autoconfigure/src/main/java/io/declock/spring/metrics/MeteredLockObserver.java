// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.metrics;

import io.declock.GrantKind;
import io.declock.LockMode;
import io.declock.spi.LockObserver;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Measures the durations of waits and holds. The meters are made when a registry is bound, so that recording needs no look-up; before
 * that, and in applications without a registry, nothing is recorded. Thread-safe.
 */
public final class MeteredLockObserver implements LockObserver, MeterBinder {
    private final List<Meters> bound = new CopyOnWriteArrayList<>();

    @Override
    public void bindTo(MeterRegistry registry) {
        bound.add(new Meters(registry));
    }

    @Override
    public void granted(String name, LockMode mode, GrantKind kind, long waitNanos) {
        for (Meters meters : bound) {
            Objects.requireNonNull(meters.of(mode).granted.get(kind)).record(waitNanos, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void notGranted(String name, LockMode mode, Outcome outcome, long waitNanos) {
        for (Meters meters : bound) {
            Objects.requireNonNull(meters.of(mode).notGranted.get(outcome)).record(waitNanos, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void released(String name, LockMode mode, long heldNanos) {
        for (Meters meters : bound) {
            meters.of(mode).held.record(heldNanos, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void lost(String name, LockMode mode) {
        for (Meters meters : bound) {
            meters.of(mode).lost.increment();
        }
    }

    /** The meters of one registry. */
    private static final class Meters {
        private final ModeMeters read;
        private final ModeMeters write;

        Meters(MeterRegistry registry) {
            this.read = new ModeMeters(registry, LockMode.READ);
            this.write = new ModeMeters(registry, LockMode.WRITE);
        }

        ModeMeters of(LockMode mode) {
            return mode.isExclusive() ? write : read;
        }
    }

    /** The meters of one registry and mode. */
    private static final class ModeMeters {
        final Map<GrantKind, Timer> granted;
        final Map<Outcome, Timer> notGranted;
        final Timer held;
        final Counter lost;

        ModeMeters(MeterRegistry registry, LockMode mode) {
            this.granted = all(
                    GrantKind.class,
                    kind -> Timer.builder("declock.wait")
                            .description("How long acquisitions waited until they were granted")
                            .tags("mode", Texts.of(mode), "kind", Texts.of(kind))
                            .register(registry));
            this.notGranted = all(
                    Outcome.class,
                    outcome -> Timer.builder("declock.wait.failed")
                            .description("How long acquisitions that were not granted waited")
                            .tags("mode", Texts.of(mode), "outcome", Texts.of(outcome))
                            .register(registry));
            this.held = Timer.builder("declock.hold")
                    .description("How long locks were held")
                    .tags("mode", Texts.of(mode))
                    .register(registry);
            this.lost = Counter.builder("declock.lost")
                    .description("Holds that were lost")
                    .tags("mode", Texts.of(mode))
                    .register(registry);
        }

        private static <E extends Enum<E>> Map<E, Timer> all(Class<E> type, Function<E, Timer> timer) {
            Map<E, Timer> timers = new EnumMap<>(type);
            for (E value : type.getEnumConstants()) {
                timers.put(value, timer.apply(value));
            }
            return timers;
        }
    }
}
