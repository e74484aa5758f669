// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import static io.declock.evaluation.papers.Lock.CASLOCK;
import static io.declock.evaluation.papers.Lock.DECLOCK_PF;
import static io.declock.evaluation.papers.Lock.DECLOCK_TF;
import static io.declock.evaluation.papers.Lock.SHIFTLOCK;

import io.declock.FairnessPolicy;
import io.declock.evaluation.experiment.Assumption;
import io.declock.evaluation.experiment.Experiment;
import io.declock.evaluation.load.Microbenchmark.Settings;
import io.declock.protocols.Backoff;
import io.declock.protocols.cas.CasLock;
import io.declock.protocols.shiftlock.ShiftLock;
import io.declock.simulation.AdapterModel.Adapter;
import io.declock.simulation.AdapterModel.Processor;
import io.declock.simulation.LockSystem.DecLockSystem;
import io.declock.simulation.LockSystem.HandOver;
import io.declock.simulation.LockSystem.Literature;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Which assumptions decide: the experiments of DecLock's figures 3, 12, 13 and 18, with one assumption at a time made otherwise. The paper prints none of these. An experiment is run at those values
 * of its parameter that decide its findings, and for a tenth of the time.
 */
public final class Sensitivity {
    /** Factor of all virtual times. */
    public static final double TIME = 0.1;

    /** The values of the parameter of each experiment. */
    private static final Map<String, List<Double>> VALUES = Map.of(
            "declock-figure-3", List.of(8.0, 24.0, 64.0, 128.0, 256.0),
            "declock-figure-12a", List.of(8.0, 24.0, 64.0, 128.0, 256.0),
            "declock-figure-12b", List.of(0.0, 1.0, 8.0, 32.0),
            "declock-figure-12c", List.of(0.0, 50.0, 90.0, 100.0),
            "declock-figure-12d", List.of(1e3, 1e7),
            "declock-figure-13", List.of(0.0, 1.0, 8.0, 32.0),
            "declock-figure-18", List.of(1.0, 4.0));

    /** Cores of a compute node for the clients of the paper (6.1). */
    private static final int CORES = 16;

    private static final Lock SHIFTLOCK_WITHOUT_A_PAUSE =
            Lock.shiftLock(SHIFTLOCK.name(), ShiftLock.WRITERS_IN_A_ROW, 1, 0);

    private Sensitivity() {}

    /** Returns the assumptions, of which the first one is the default. */
    public static List<Assumption> assumptions() {
        List<Variation> all = new ArrayList<>();
        all.add(Variation.NONE);
        all.addAll(ofProcessors());
        all.addAll(ofAdapters());
        all.addAll(ofLoads());
        all.addAll(ofLocks());
        all.addAll(ofDecLock());
        all.addAll(ofFigure3());
        return all.stream()
                .map(variation -> new Assumption(variation.id(), variation.what(), experiments(variation)))
                .toList();
    }

    private static List<Experiment> experiments(Variation variation) {
        List<Sweeps> all = new ArrayList<>(DecLockClients.all(variation));
        all.addAll(DecLockLoads.all(variation));
        all.add(DecLockParts.heterogeneous(variation));
        List<Experiment> chosen = new ArrayList<>();
        for (Sweeps experiment : all) {
            List<Double> values = VALUES.get(experiment.about().id());
            if (values != null) {
                chosen.add(experiment.only(values));
            }
        }
        return chosen;
    }

    private static List<Variation> ofProcessors() {
        return List.of(
                processor(500, 0),
                processor(1_000, 0),
                processor(1_500, 0),
                Variation.of(
                                "messages-1000",
                                "a core sends a message and receives one in 1 µs each; all else takes no time")
                        .adapters(model -> model.with(new Processor(CORES, 0, 0, 1_000, 1_000, 0))),
                Variation.of("local-lock-1000", "DecLock's local lock takes 1 µs for an acquisition and for a release")
                        .adapters(model -> model.with(new Processor(CORES, 0, 0, 0, 0, 1_000))),
                processor(1_000, 1_000),
                Variation.of("processor-1000-at-once", "as processor-1000, and the verbs inside are posted at once")
                        .adapters(model -> model.with(Processor.of(CORES, 1_000)))
                        .load(Settings::withVerbsTogether));
    }

    private static Variation processor(long nanos, long localLock) {
        String what = "a core posts a verb, takes a completion, sends a message and receives one in " + nanos / 1e3
                + " µs each, " + CORES + " cores in a compute node";
        return Variation.of(
                        "processor-" + nanos + (localLock > 0 ? "-local-lock" : ""),
                        localLock > 0 ? what + "; DecLock's local lock takes " + localLock / 1e3 + " µs" : what)
                .adapters(model -> model.with(new Processor(CORES, nanos, nanos, nanos, nanos, localLock)));
    }

    private static Variation withProcessor(Variation other, long nanos) {
        return other.adapters(model -> model.with(Processor.of(CORES, nanos)));
    }

    private static List<Variation> ofAdapters() {
        return List.of(
                Variation.of("round-trip-3000", "a verb's round trip is 3 µs")
                        .adapters(model -> model.withVerbOneWay(1_500)),
                Variation.of("message-3000", "a message's way is 3 µs; in figure 18, up to ten times that of a verb")
                        .adapters(model -> model.withMessageOneWay(3_000))
                        .messageStretch(3),
                Variation.of(
                                "reads-131",
                                "a READ or WRITE occupies the memory node's adapter for as long as an atomic, 131 ns")
                        .adapters(
                                model -> model.withMemoryNode(model.memoryNode().withReadsAndWrites(131))),
                atomics(29, 131),
                atomics(131, 400),
                Variation.of("compute-nodes-200", "a verb or message occupies the adapter of a compute node for 200 ns")
                        .adapters(model -> model.withComputeNode(new Adapter(200, 200, 200, 200, 0, 1, 12.5))));
    }

    private static Variation atomics(long pipeline, long bucket) {
        return Variation.of(
                        "atomics-" + pipeline + "-" + bucket,
                        "an atomic occupies the memory node's adapter for " + pipeline + " ns, and its bucket for "
                                + bucket + " ns")
                .adapters(model -> model.withMemoryNode(model.memoryNode().withAtomics(pipeline, bucket)));
    }

    private static List<Variation> ofLoads() {
        return List.of(
                Variation.of("at-once", "the verbs inside are posted at once").load(Settings::withVerbsTogether),
                Variation.of("pause-5000", "a client pauses 5 µs between operations")
                        .load(load -> load.withPause(5_000)),
                Variation.of("zipf-0.9", "the exponent of Zipf's law is 0.9").load(load -> load.withZipf(0.9)));
    }

    private static List<Variation> ofLocks() {
        return List.of(
                Variation.of("dslr-no-back-off", "DSLR+ has no back-off").lock(Lock.dslrPlus(Backoff.NONE)),
                Variation.of("dslr-12800", "DSLR+ backs off up to 12.8 µs")
                        .lock(Lock.dslrPlus(Backoff.truncatedExponential(100, 12_800, 2_000))),
                Variation.of("shiftlock-no-pause", "a waiter of ShiftLock does not pause between two READs")
                        .lock(SHIFTLOCK_WITHOUT_A_PAUSE),
                Variation.of("shiftlock-5000", "a waiter of ShiftLock pauses 5 µs between two READs")
                        .lock(Lock.shiftLock(SHIFTLOCK.name(), ShiftLock.WRITERS_IN_A_ROW, 1, 5_000)),
                Variation.of("caslock-exclusive", "readers of CASLock exclude each other")
                        .lock(new Lock(CASLOCK.name(), new Literature(CasLock.exclusive(Backoff.NONE)))),
                Variation.of("caslock-longer", "CASLock is run for ten times as long")
                        .casLockTime(10));
    }

    private static List<Variation> ofDecLock() {
        return List.of(
                decLock(
                        "declock-library",
                        "DecLock is as the library is set by default: it pre-arms hand-overs, and not each release reads",
                        DecLockSystem.DEFAULT),
                decLock(
                        "declock-unbounded",
                        "between callers of a compute node and waiters of others DecLock's timestamps alone decide, in units of 16 µs, as the paper prints it: this library's bounds are left out",
                        DecLockSystem.AS_IN_THE_PAPER.with(HandOver.AS_PRINTED)),
                decLock(
                        "declock-as-printed",
                        "as declock-unbounded, without self-checks too, and a READ of the queue carries its entries only",
                        Lock.DECLOCK_AS_PRINTED),
                withProcessor(
                        decLock(
                                "processor-1000-declock-as-printed",
                                "as processor-1000 and declock-as-printed",
                                Lock.DECLOCK_AS_PRINTED),
                        1_000));
    }

    private static Variation decLock(String id, String what, DecLockSystem system) {
        return Variation.of(id, what)
                .lock(new Lock(DECLOCK_TF.name(), system))
                .lock(new Lock(DECLOCK_PF.name(), system.with(FairnessPolicy.PHASE_FAIR)));
    }

    /** The paper prints one verb inside for its section 6.2, but not how many there are in figure 3. */
    private static List<Variation> ofFigure3() {
        return List.of(
                Variation.of("inside-2", "in figure 3, two verbs inside").inside(2),
                Variation.of("inside-4-no-pause", "in figure 3, four verbs inside; as shiftlock-no-pause besides")
                        .inside(4)
                        .lock(SHIFTLOCK_WITHOUT_A_PAUSE),
                withProcessor(
                        Variation.of(
                                        "processor-500-inside-2-no-pause",
                                        "in figure 3, two verbs inside; as processor-500 and shiftlock-no-pause besides")
                                .inside(2)
                                .lock(SHIFTLOCK_WITHOUT_A_PAUSE),
                        500));
    }
}
