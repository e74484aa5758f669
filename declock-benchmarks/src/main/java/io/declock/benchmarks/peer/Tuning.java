// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.peer;

import io.declock.ComputeNodeSettings;
import io.declock.CqlSettings;
import io.declock.FairnessPolicy;
import io.declock.KeepSettings;
import io.declock.LocalSettings;
import io.declock.ReleaseRead;
import io.declock.TcpFabricSettings;
import io.declock.TcpTransport;
import io.declock.benchmarks.report.Json;
import io.declock.internal.RdmaModule;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.client.RdmaFabricProvider;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spi.AdapterException;
import io.declock.spi.Fabric;
import java.time.Duration;
import java.util.LinkedHashMap;
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
 * @param transport interface of the operating system that clients and memory node use
 * @param pollMicros how long a client's event loop polls before it sleeps
 * @param serverPollMicros how long a memory node's event loop polls before it sleeps
 * @param maxIdleLocks idle names kept by a client
 * @param keep whether a client keeps locks that it takes again and again
 * @param directCompletions whether asynchronous acquisitions are completed by the thread that learns of the grant, in place of a pool of threads
 * @param rdma address of this machine's RDMA adapter; empty for TCP. Times are those of an emulated machine: connections and leases have room for pauses of seconds
 */
public record Tuning(
        FairnessPolicy policy,
        int localLimit,
        long localMicros,
        boolean preArmed,
        ReleaseRead releaseRead,
        long spinMicros,
        TcpTransport transport,
        long pollMicros,
        long serverPollMicros,
        int maxIdleLocks,
        boolean keep,
        boolean directCompletions,
        String rdma) {
    /** The library's defaults. */
    public static final Tuning DEFAULTS = new Tuning(
            LocalSettings.DEFAULTS.policy(),
            LocalSettings.DEFAULTS.localHandOverLimit(),
            LocalSettings.DEFAULTS.localHandOverTime().toNanos() / 1000,
            CqlSettings.DEFAULTS.preArmedHandOver(),
            CqlSettings.DEFAULTS.releaseRead(),
            ComputeNodeSettings.DEFAULTS.spin().toNanos() / 1000,
            TcpFabricSettings.DEFAULTS.transport(),
            TcpFabricSettings.DEFAULTS.eventLoopPolling().toNanos() / 1000,
            MemoryNodeServerSettings.DEFAULTS.eventLoopPolling().toNanos() / 1000,
            ComputeNodeSettings.DEFAULTS.maxIdleLocks(),
            ComputeNodeSettings.DEFAULTS.keep().enabled(),
            false,
            "");

    /** As long as an emulated machine takes for what takes others a moment. */
    public static final Duration SLOW = Duration.ofSeconds(20);

    /** Returns these settings changed by {@code key=value} pairs; a key is a setting's name, written like-this. */
    public Tuning with(Map<String, String> changes) {
        Map<String, Object> all = toMap();
        changes.forEach((key, value) -> {
            if (all.replace(key, value) == null) {
                throw new IllegalArgumentException("no setting '" + key + "'; there are " + all.keySet());
            }
        });
        return Json.convert(all, Tuning.class);
    }

    /** Returns the settings by name. */
    @SuppressWarnings("unchecked")
    public Map<String, Object> toMap() {
        return Json.convert(this, LinkedHashMap.class);
    }

    /** Returns a compute node's settings. */
    public ComputeNodeSettings computeNode(String name) {
        ComputeNodeSettings.Builder settings = ComputeNodeSettings.builder();
        if (usesRdma()) {
            settings.lease(Duration.ofSeconds(9))
                    .heartbeatInterval(Duration.ofSeconds(1))
                    .leaseMargin(Duration.ofMillis(500));
        }
        return settings.namespace("bench")
                .name(name)
                .maxIdleLocks(maxIdleLocks)
                .spin(Duration.ofNanos(spinMicros * 1000))
                .keep(KeepSettings.builder().enabled(keep).build())
                .local(LocalSettings.builder()
                        .policy(policy)
                        .localHandOverLimit(localLimit)
                        .localHandOverTime(Duration.ofNanos(localMicros * 1000))
                        .build())
                .cql(CqlSettings.builder()
                        .preArmedHandOver(preArmed)
                        .releaseRead(releaseRead)
                        .build())
                .build();
    }

    /** Returns the settings of a client's fabric. */
    public TcpFabricSettings fabric() {
        TcpFabricSettings.Builder settings =
                TcpFabricSettings.builder().transport(transport).eventLoopPolling(Duration.ofNanos(pollMicros * 1000));
        return usesRdma() ? settings.connectTimeout(SLOW).requestTimeout(SLOW).build() : settings.build();
    }

    /** Returns whether verbs go by RDMA. */
    public boolean usesRdma() {
        return !rdma.isEmpty();
    }

    /**
     * Opens a client's fabric.
     *
     * @throws IllegalStateException if RDMA is not possible here
     */
    public Fabric openFabric(NodeCounters counters) {
        TcpFabric tcp = TcpFabric.open(fabric(), counters);
        if (!usesRdma()) {
            return tcp;
        }
        try {
            return RdmaModule.find(RdmaFabricProvider.class).orElseThrow().open(Map.of("address", rdma), tcp, counters);
        } catch (AdapterException e) {
            throw new IllegalStateException(e);
        }
    }
}
