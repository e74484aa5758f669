// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.LockMode;
import io.declock.protocols.Backoff;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.cas.CasLock;
import io.declock.protocols.shiftlock.ShiftLock;
import io.declock.simulation.LockSystem.DecLockSystem;
import io.declock.simulation.LockSystem.Literature;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Figures that the papers print, and what the adapters' models make of them. */
final class CalibrationFigures {
    /** Waiters pause as in its published code. */
    private static final ShiftLock SHIFT_LOCK = new ShiftLock(new ShiftLock.Settings(10_000_000, 16, 1_862));

    private static final int MANY_LOCKS = 10_000_000;
    private static final int SHIFT_LOCK_NODES = 5;
    private static final int SHIFT_LOCK_CLIENTS = 240;
    private static final double ZIPF = 0.99;
    private static final double MILLION = 1e6;
    private static final double THOUSAND = 1e3;

    /**
     * A figure.
     *
     * @param fitted whether a parameter was fitted to it
     * @param published what the paper prints
     * @param value what the model makes of it
     */
    record Figure(String adapter, String what, String source, boolean fitted, double published, double value) {}

    private final long seed;
    private final long window;

    CalibrationFigures(long seed, long window) {
        this.seed = seed;
        this.window = window;
    }

    /** Returns the figures, each of which is made when it is asked for. */
    List<Supplier<Figure>> all() {
        return List.of(
                this::spinningPeak,
                this::spinningWithMany,
                this::retriesWithMany,
                this::verbsOfDecLock,
                this::oneClient,
                this::oneLock,
                this::oneLockRetries,
                this::oneLockWithBackoff,
                this::oneLockRetriesWithBackoff,
                this::loadedCompareAndSwap,
                this::shiftLockAlone,
                this::shiftLockLoaded,
                this::shiftLockSaturated);
    }

    // ---------------------------------------------------------------- DecLock's testbed

    private Figure spinningPeak() {
        double most = IntStream.of(1, 2, 3, 4)
                .mapToDouble(each -> decLockLoad(new Literature(CasLock.spinning()), 1, 8 * each)
                        .acquisitionsPerSecond())
                .max()
                .orElseThrow();
        return x4(
                "CASLock, most of 8 to 32 clients of one node, M acquisitions/s",
                "DecLock 2.2",
                false,
                1.61,
                most / MILLION);
    }

    private Figure spinningWithMany() {
        double rate = decLockLoad(new Literature(CasLock.spinning()), 8, 32).acquisitionsPerSecond();
        return x4("CASLock, 256 clients, M acquisitions/s", "DecLock 2.2", true, 0.20, rate / MILLION);
    }

    private Figure retriesWithMany() {
        double verbs = decLockLoad(new Literature(CasLock.spinning()), 8, 32).acquireVerbsEach();
        return x4("CASLock, 256 clients, retries of an acquisition", "DecLock 2.2", true, 37.8, verbs - 1);
    }

    private Figure verbsOfDecLock() {
        double verbs = decLockLoad(DecLockSystem.AS_IN_THE_PAPER, 8, 32).acquireVerbsEach();
        return x4("DecLock, 256 clients, verbs of an acquisition", "DecLock 6.2: at most", false, 1.10, verbs);
    }

    private Outcome decLockLoad(LockSystem system, int computeNodes, int clientsPerNode) {
        CalibrationLoad load = new CalibrationLoad(100_000, ZIPF, 0.5, 1);
        return run(system, AdapterModel.CONNECT_X4, computeNodes, clientsPerNode, load);
    }

    private static Figure x4(String what, String source, boolean fitted, double published, double value) {
        return new Figure(AdapterModel.CONNECT_X4.name(), what, source, fitted, published, value);
    }

    // ---------------------------------------------------------------- ShiftLock's testbed

    private Figure oneClient() {
        Outcome outcome = shiftLockLoad(CasLock.spinning(), 1, 1, 0, 1);
        return x5(
                "one lock, one client at a time, thousand acquisitions/s",
                "ShiftLock 2.3",
                true,
                278.3,
                outcome.acquisitionsPerSecond() / THOUSAND);
    }

    private Figure oneLock() {
        double rate = oneLockSpinning().acquisitionsPerSecond();
        return x5("one lock, CAS, 240 clients, thousand acquisitions/s", "ShiftLock 2.3", true, 15.5, rate / THOUSAND);
    }

    private Figure oneLockRetries() {
        Outcome outcome = oneLockSpinning();
        double retries = outcome.verbs().acquire() - outcome.acquisitions();
        double all = outcome.verbs().acquire() + outcome.verbs().release();
        return x5("one lock, CAS, 240 clients, percent of retries", "ShiftLock 2.3", false, 99.4, 100 * retries / all);
    }

    private Outcome oneLockSpinning() {
        return shiftLockLoad(CasLock.spinning(), 1, SHIFT_LOCK_CLIENTS, 0, 1);
    }

    private Figure oneLockWithBackoff() {
        double rate = oneLockPausing().acquisitionsPerSecond();
        return x5(
                "one lock, CAS with back-off, 240 clients, thousand acquisitions/s",
                "ShiftLock 2.3",
                false,
                141.4,
                rate / THOUSAND);
    }

    private Figure oneLockRetriesWithBackoff() {
        double retries = 1 - 1 / oneLockPausing().acquireVerbsEach();
        return x5(
                "one lock, CAS with back-off, 240 clients, percent of retries",
                "ShiftLock 2.3",
                false,
                87.1,
                100 * retries);
    }

    private Outcome oneLockPausing() {
        return shiftLockLoad(CasLock.with(Backoff.SMART), 1, SHIFT_LOCK_CLIENTS, 0, 1);
    }

    /** Each client has one compare-and-swap under way all the time. */
    private Figure loadedCompareAndSwap() {
        Outcome outcome = shiftLockLoad(CasLock.spinning(), MANY_LOCKS, SHIFT_LOCK_CLIENTS, 0, ZIPF);
        double nanos = (double) SHIFT_LOCK_CLIENTS
                * outcome.windowNanos()
                / outcome.verbs().atomics();
        return x5("CAS, 240 clients, mean latency of a CAS, us", "ShiftLock table 4", false, 38.5, nanos / THOUSAND);
    }

    private Figure shiftLockAlone() {
        return reader("ShiftLock, 5 clients, half readers, a reader's wait, us", 5, 0.5, 2.03);
    }

    private Figure shiftLockLoaded() {
        return reader("ShiftLock, 240 clients, half readers, a reader's atomic, us", SHIFT_LOCK_CLIENTS, 0.5, 2.47);
    }

    private Figure shiftLockSaturated() {
        return reader("ShiftLock, 240 clients, 95 % readers, a reader's atomic, us", SHIFT_LOCK_CLIENTS, 0.95, 6.95);
    }

    /** At least half of the readers do not wait for the lock, so that the median is that of the atomic. */
    private Figure reader(String what, int clients, double readShare, double published) {
        Outcome outcome = shiftLockLoad(SHIFT_LOCK, MANY_LOCKS, clients, readShare, ZIPF);
        double nanos = outcome.waited(LockMode.READ).percentile(50);
        return x5(what, "ShiftLock table 3", readShare > 0.9, published, nanos / THOUSAND);
    }

    private Outcome shiftLockLoad(LockProtocol protocol, int locks, int clients, double readShare, double zipf) {
        int nodes = Math.min(SHIFT_LOCK_NODES, clients);
        CalibrationLoad load = new CalibrationLoad(locks, zipf, readShare, 0);
        return run(new Literature(protocol), AdapterModel.CONNECT_X5, nodes, clients / nodes, load);
    }

    private static Figure x5(String what, String source, boolean fitted, double published, double value) {
        return new Figure(AdapterModel.CONNECT_X5.name(), what, source, fitted, published, value);
    }

    private Outcome run(LockSystem system, AdapterModel model, int nodes, int clientsPerNode, CalibrationLoad load) {
        return ModelRun.run(
                seed, new ModelRun.Setting(system, model, nodes, clientsPerNode, () -> load, window, window));
    }
}
