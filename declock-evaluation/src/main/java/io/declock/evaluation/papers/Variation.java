// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import io.declock.evaluation.experiment.Size;
import io.declock.evaluation.experiment.Sweep;
import io.declock.evaluation.experiment.Trial;
import io.declock.evaluation.load.Microbenchmark.Settings;
import io.declock.simulation.AdapterModel;
import java.util.List;
import java.util.function.DoubleFunction;
import java.util.function.UnaryOperator;

/**
 * What the experiments of DecLock's paper assume otherwise than by default.
 *
 * @param id its name, which tells trials apart
 * @param what what is assumed
 * @param adapters changes the adapters and processors
 * @param settings changes the load
 * @param locks changes locks; a changed lock keeps its name
 * @param casLockTime how many times as long CASLock is run
 * @param messageStretch how many times as far the way of messages goes beyond that of verbs where it is varied
 * @param inside verbs inside where the paper does not print their number, in figure 3
 */
record Variation(
        String id,
        String what,
        UnaryOperator<AdapterModel> adapters,
        UnaryOperator<Settings> settings,
        UnaryOperator<Lock> locks,
        double casLockTime,
        double messageStretch,
        int inside) {
    /** The defaults. */
    static final Variation NONE = of("default", "the model's defaults");

    /** Makes one that changes nothing yet. */
    static Variation of(String id, String what) {
        return new Variation(
                id, what, UnaryOperator.identity(), UnaryOperator.identity(), UnaryOperator.identity(), 1, 1, 1);
    }

    /** Returns it with other adapters or processors. */
    Variation adapters(UnaryOperator<AdapterModel> change) {
        return new Variation(id, what, change, settings, locks, casLockTime, messageStretch, inside);
    }

    /** Returns it with another load. */
    Variation load(UnaryOperator<Settings> change) {
        return new Variation(id, what, adapters, change, locks, casLockTime, messageStretch, inside);
    }

    /** Returns it with another lock in the place of that of the same name. */
    Variation lock(Lock other) {
        return new Variation(
                id,
                what,
                adapters,
                settings,
                lock -> lock.name().equals(other.name()) ? other : locks.apply(lock),
                casLockTime,
                messageStretch,
                inside);
    }

    /** Returns it with CASLock run for so many times as long. */
    Variation casLockTime(double factor) {
        return new Variation(id, what, adapters, settings, locks, factor, messageStretch, inside);
    }

    /** Returns it with messages whose way is varied farther beyond that of verbs. */
    Variation messageStretch(double factor) {
        return new Variation(id, what, adapters, settings, locks, casLockTime, factor, inside);
    }

    /** Returns it with so many verbs inside where the paper does not print their number. */
    Variation inside(int verbs) {
        return new Variation(id, what, adapters, settings, locks, casLockTime, messageStretch, verbs);
    }

    /** Returns the testbed of DecLock's paper under a load. */
    Bench decLock(Settings load) {
        Bench bench = Bench.decLock(settings.apply(load));
        return bench.with(adapters.apply(bench.adapters()));
    }

    /** Returns a testbed whose messages travel so many times as long as verbs. */
    Bench atADistance(Bench bench, double factor) {
        return bench.with(bench.adapters().withPeerDistance(1 + messageStretch * (factor - 1)));
    }

    /** Returns a sweep of locks. */
    Sweep sweep(Size size, List<Lock> among, DoubleFunction<Bench> at, double... values) {
        return new Sweep(Lock.names(among), size.of(values), (name, value) -> {
            Lock lock = Lock.named(among, name);
            Lock varied = locks.apply(lock);
            Bench bench = at.apply(value);
            double time = name.equals(Lock.CASLOCK.name()) ? casLockTime : 1;
            Trial trial = bench.lasting(time * bench.warmUpMillis(), time * bench.windowMillis())
                    .trial(varied, size);
            return varied.equals(lock) ? trial : new Trial(trial.id() + "/" + id, trial.work());
        });
    }
}
