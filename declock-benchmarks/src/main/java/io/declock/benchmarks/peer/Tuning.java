// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.peer;

import io.declock.ComputeNodeSettings;
import io.declock.CqlSettings;
import io.declock.FairnessPolicy;
import io.declock.LocalSettings;
import io.declock.ReleaseRead;
import io.declock.TcpFabricSettings;
import io.declock.internal.memorynode.MemoryNodeServerSettings;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * DecLock's settings of one run, and their text form for its processes. Settings that are not given keep the library's defaults.
 *
 * @param policy fairness between readers and writers, local and remote waiters
 * @param localLimit maximum number of consecutive local grants while a remote waiter may have arrived earlier
 * @param localMicros maximum duration of such a run of grants
 * @param preArmed whether hand-over is pre-armed
 * @param releaseRead which releases read the queue
 * @param spinMicros how long the next in line spins
 * @param pollMicros how long a client's event loop polls before it sleeps
 * @param serverPollMicros how long a memory node's event loop polls before it sleeps
 * @param maxIdleLocks idle names kept by a client
 */
public record Tuning(
        FairnessPolicy policy,
        int localLimit,
        long localMicros,
        boolean preArmed,
        ReleaseRead releaseRead,
        long spinMicros,
        long pollMicros,
        long serverPollMicros,
        int maxIdleLocks) {
    /** The library's defaults. */
    public static final Tuning DEFAULTS = new Tuning(
            LocalSettings.DEFAULTS.policy(),
            LocalSettings.DEFAULTS.localHandOverLimit(),
            LocalSettings.DEFAULTS.localHandOverTime().toNanos() / 1000,
            CqlSettings.DEFAULTS.preArmedHandOver(),
            CqlSettings.DEFAULTS.releaseRead(),
            ComputeNodeSettings.DEFAULTS.spinNanos() / 1000,
            TcpFabricSettings.DEFAULTS.pollNanos() / 1000,
            MemoryNodeServerSettings.DEFAULTS.pollNanos() / 1000,
            ComputeNodeSettings.DEFAULTS.maxIdleLocks());

    /** Returns these settings changed by {@code key=value} pairs, the keys being those of {@link #toMap}. */
    public Tuning with(Map<String, String> changes) {
        Map<String, String> all = toMap();
        changes.forEach((key, value) -> {
            if (all.replace(key, value) == null) {
                throw new IllegalArgumentException("no setting '" + key + "'; there are " + all.keySet());
            }
        });
        return of(all);
    }

    /** Returns the settings as text. */
    public Map<String, String> toMap() {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("policy", policy.name().toLowerCase(Locale.ROOT).replace('_', '-'));
        map.put("local-limit", String.valueOf(localLimit));
        map.put("local-micros", String.valueOf(localMicros));
        map.put("pre-armed", String.valueOf(preArmed));
        map.put("release-read", releaseRead.name().toLowerCase(Locale.ROOT));
        map.put("spin-micros", String.valueOf(spinMicros));
        map.put("poll-micros", String.valueOf(pollMicros));
        map.put("server-poll-micros", String.valueOf(serverPollMicros));
        map.put("max-idle-locks", String.valueOf(maxIdleLocks));
        return map;
    }

    /** Returns the settings that {@link #toMap} gave. */
    public static Tuning of(Map<String, String> map) {
        return new Tuning(
                FairnessPolicy.valueOf(
                        get(map, "policy").toUpperCase(Locale.ROOT).replace('-', '_')),
                Integer.parseInt(get(map, "local-limit")),
                Long.parseLong(get(map, "local-micros")),
                Boolean.parseBoolean(get(map, "pre-armed")),
                ReleaseRead.valueOf(get(map, "release-read").toUpperCase(Locale.ROOT)),
                Long.parseLong(get(map, "spin-micros")),
                Long.parseLong(get(map, "poll-micros")),
                Long.parseLong(get(map, "server-poll-micros")),
                Integer.parseInt(get(map, "max-idle-locks")));
    }

    private static String get(Map<String, String> map, String key) {
        String value = map.get(key);
        if (value == null) {
            throw new IllegalArgumentException("the setting '" + key + "' is missing");
        }
        return value;
    }

    /** Returns a compute node's settings. */
    public ComputeNodeSettings computeNode(String name) {
        ComputeNodeSettings d = ComputeNodeSettings.DEFAULTS;
        CqlSettings c = d.cql();
        return new ComputeNodeSettings(
                "bench",
                name,
                d.defaultWaitTime(),
                d.lease(),
                d.heartbeatInterval(),
                d.leaseMargin(),
                d.failFast(),
                d.clockSyncInterval(),
                maxIdleLocks,
                spinMicros * 1000,
                new LocalSettings(
                        policy,
                        localLimit,
                        Duration.ofNanos(localMicros * 1000),
                        d.local().readerPhases()),
                new CqlSettings(
                        c.selfCheckInterval(),
                        c.prefetchInterval(),
                        c.refetchLimit(),
                        c.refetchInterval(),
                        c.suspectAfter(),
                        c.resetPollInterval(),
                        c.resetResendInterval(),
                        preArmed,
                        releaseRead));
    }

    /** Returns the settings of a client's fabric. */
    public TcpFabricSettings fabric() {
        return TcpFabricSettings.DEFAULTS.withEventLoops(
                TcpFabricSettings.DEFAULTS.eventLoopThreads(), pollMicros * 1000);
    }
}
