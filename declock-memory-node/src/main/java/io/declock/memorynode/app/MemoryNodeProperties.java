// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Configuration properties of a memory node.
 *
 * @param id Stable id, the same after every start and different from that of every other memory node. Lock names are spread over memory nodes by it. By default, host name and port.
 * @param bindAddress Address to listen on. By default, every interface.
 * @param port Port to listen on. Zero picks a free one.
 * @param portFile File the port is written to once the memory node serves, for scripts that let it pick a free one.
 * @param memory Memory for lock records. Determines their number; mutually exclusive with records.
 * @param records Number of lock records, one per lock name in use. By default, 100000.
 * @param queueCapacity Queue entries per lock record, which is also the most services that can join. A power of two from 2 to 256.
 * @param preallocate Whether all memory is taken at the start, in place of when it is needed.
 * @param maxLease Longest lease granted to a service.
 * @param leaseMargin How much longer than its lease a silent service is waited for before it is declared dead.
 * @param waitOutOldSessions Whether services may only join once the longest lease has run out after the start, because an earlier life of this memory node may have granted locks. Switch off only where there cannot have been one.
 * @param reclaimInterval How long a lock record must have been idle before it is taken back. Zero for never.
 * @param secret Secret that services must know to join. Without one, everybody may.
 * @param ssl TLS.
 * @param eventLoopThreads Threads that execute operations. By default, half the processors and at most four.
 * @param eventLoopPolling How long an idle event loop polls before it sleeps. Polling shortens round trips and costs processor time.
 * @param maxConnections Most connections at once.
 * @param handshakeTimeout How long a connection may take from opening to joining.
 * @param stallTimeout How long a service may leave its answers unread before its connection is closed.
 */
@ConfigurationProperties("declock.memory-node")
public record MemoryNodeProperties(
        @Nullable String id,
        @DefaultValue("0.0.0.0") String bindAddress,
        @DefaultValue("7420") int port,
        @Nullable Path portFile,
        @Nullable DataSize memory,
        @Nullable Long records,
        @DefaultValue("64") int queueCapacity,
        @DefaultValue("false") boolean preallocate,
        @DefaultValue("10s") Duration maxLease,
        @DefaultValue("500ms") Duration leaseMargin,
        @DefaultValue("true") boolean waitOutOldSessions,
        @DefaultValue("60s") Duration reclaimInterval,
        @Nullable String secret,
        @DefaultValue Ssl ssl,
        @Nullable Integer eventLoopThreads,
        @DefaultValue("0") Duration eventLoopPolling,
        @DefaultValue("1024") int maxConnections,
        @DefaultValue("5s") Duration handshakeTimeout,
        @DefaultValue("5s") Duration stallTimeout) {

    /**
     * TLS.
     *
     * @param bundle SSL bundle with the certificate of this memory node. Without one, connections are not encrypted.
     * @param clientAuth Whether services must show a certificate that the bundle's trust store accepts.
     */
    public record Ssl(
            @Nullable String bundle, @DefaultValue("none") ClientAuth clientAuth) {}

    /** What is asked of a connecting service's certificate. */
    public enum ClientAuth {
        /** Nothing. */
        NONE,
        /** It must be accepted if there is one. */
        WANT,
        /** There must be one, and it must be accepted. */
        NEED
    }

    boolean hasSecret() {
        return secret != null && !secret.isEmpty();
    }

    /** Does not show the secret. */
    @Override
    public String toString() {
        return "MemoryNodeProperties[id=" + id + ", bindAddress=" + bindAddress + ", port=" + port + ", secret="
                + (hasSecret() ? "set" : "none") + "]";
    }
}
