// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import io.declock.TcpTransport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Configuration properties of a memory node.
 *
 * @param id Stable id, the same after every start and different from that of every other memory node. Lock names are distributed over memory nodes by their ids. Must be set.
 * @param bindAddress Address to listen on. By default, every interface.
 * @param nodes Ids of all memory nodes that belong together, this one's included. A service that lists others is refused. By default, the first service that joins decides, for as long as it is joined.
 * @param port Port to listen on. Zero picks a free one.
 * @param portFile File to which the memory node writes its port once it serves, for scripts that let it pick a free one.
 * @param stateDirectory Directory on a local disk in which the memory node writes down which services have joined. After a restart it then asks them which locks they hold, instead of waiting for the longest lease while all holds end. No other memory node may use it.
 * @param memory Memory for lock records. Determines their number; mutually exclusive with records.
 * @param records Number of lock records, one per lock name in use. By default, 100000.
 * @param recordsPerSession Maximum number of lock records that one service instance may have created and that were not reclaimed, so that an instance that keeps asking for new names leaves room for others. Zero for nine tenths of all.
 * @param values Maximum number of guarded values, of up to 1,024 bytes each. They are kept on the heap.
 * @param queueCapacity Queue entries per lock record: the number of services that can wait for one lock without looking at its queue from time to time. A power of two from 2 to 256.
 * @param preallocate Whether all memory is allocated at the start, instead of when it is needed.
 * @param maxLease Longest lease granted to a service. At least 50 ms.
 * @param formerLease Longest lease that an earlier incarnation of this memory node can have granted: services may join that long after a start. Set a shorter one only if no longer lease was ever granted; max-lease must not exceed it.
 * @param leaseMargin How long after the end of its lease a silent service is declared dead.
 * @param waitOutOldSessions Whether services may only join once the longest lease has expired after the start, because an earlier incarnation of this memory node may have granted locks. Switch this off only where there was no earlier incarnation.
 * @param reclaimInterval How long a lock record must have been idle before it is reclaimed; less while fewer than half of the records are free. Zero for never.
 * @param secret Secret that services must know to join, of at least 16 characters. Without one, every service may join.
 * @param formerSecret Former secret that is still accepted while services are switched to the current one.
 * @param ssl TLS.
 * @param transport Interface of the operating system that connections use. By default, the best that there is but for io-uring.
 * @param eventLoopThreads Threads that execute operations. By default, half the processors and at most four.
 * @param eventLoopPolling How long an idle event loop polls before it sleeps. Polling shortens round trips and costs processor time.
 * @param maxConnections Maximum number of connections at once.
 * @param maxNewcomersPerAddress Maximum number of connections from one network address that have not joined yet. A further connection closes the oldest of them.
 * @param election Election of the candidate that serves, for a memory node with stand-bys.
 * @param rdma RDMA. Needs the module declock-rdma.
 * @param preambleTimeout How long a connection may take from opening to its first bytes, TLS included.
 * @param handshakeTimeout How long a connection may take from opening to joining.
 * @param stallTimeout How long a service may leave its answers unread before its connection is closed.
 */
@ConfigurationProperties("declock.memory-node")
public record MemoryNodeProperties(
        @Nullable String id,
        @DefaultValue("0.0.0.0") String bindAddress,
        @DefaultValue List<String> nodes,
        @DefaultValue("7420") int port,
        @Nullable Path portFile,
        @Nullable Path stateDirectory,
        @Nullable DataSize memory,
        @Nullable Long records,
        @DefaultValue("0") int recordsPerSession,
        @DefaultValue("10000") int values,
        @DefaultValue("64") int queueCapacity,
        @DefaultValue("false") boolean preallocate,
        @DefaultValue("10s") Duration maxLease,
        @DefaultValue("10s") Duration formerLease,
        @DefaultValue("500ms") Duration leaseMargin,
        @DefaultValue("true") boolean waitOutOldSessions,
        @DefaultValue("60s") Duration reclaimInterval,
        @Nullable String secret,
        @Nullable String formerSecret,
        @DefaultValue Ssl ssl,
        @DefaultValue("auto") TcpTransport transport,
        @Nullable Integer eventLoopThreads,
        @DefaultValue("0") Duration eventLoopPolling,
        @DefaultValue("8192") int maxConnections,
        @DefaultValue("1024") int maxNewcomersPerAddress,
        @DefaultValue Election election,
        @DefaultValue Rdma rdma,
        @DefaultValue("2s") Duration preambleTimeout,
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

    /**
     * Election of the candidate that serves.
     *
     * @param engine Engine that elects: etcd, zookeeper, jdbc or kubernetes. Without one, this memory node has no stand-by.
     * @param lease How long a candidate serves without a renewal by the engine, and how long after its death another one is elected. At least 2 s.
     * @param address Address of this candidate as services and the other candidates reach it, such as tcp://a1:7420.
     * @param candidates Addresses of all candidates of this memory node, this one's included; the same in each of them.
     * @param etcd Settings of etcd: endpoints (required), username, password, prefix, ca-certificate.
     * @param zookeeper Settings of ZooKeeper: connect-string (required), path, auth.
     * @param jdbc Settings of the database: url (required), username, password, table-prefix, create-tables.
     * @param kubernetes Settings of Kubernetes: namespace, name-prefix, master-url.
     */
    public record Election(
            @Nullable String engine,
            @DefaultValue("3s") Duration lease,
            @Nullable String address,
            @DefaultValue List<String> candidates,
            @DefaultValue Map<String, String> etcd,
            @DefaultValue Map<String, String> zookeeper,
            @DefaultValue Map<String, String> jdbc,
            @DefaultValue Map<String, String> kubernetes) {
        boolean isSet() {
            return engine != null && !engine.isBlank();
        }

        Map<String, String> settingsOf(String kind) {
            return switch (kind) {
                case "etcd" -> etcd;
                case "zookeeper" -> zookeeper;
                case "jdbc" -> jdbc;
                default -> kubernetes;
            };
        }

        /** Does not show passwords. */
        @Override
        public String toString() {
            return "Election[engine=" + engine + ", lease=" + lease + ", address=" + address + ", candidates="
                    + candidates + "]";
        }
    }

    /**
     * RDMA.
     *
     * @param enabled Whether services may use this memory node by RDMA. Its adapter then executes the operations of all services, also of those that use tcp://.
     * @param device RDMA device to use, as "rdma link" names it. By default, the first one with an IPv4 address.
     * @param port Port of the device.
     * @param gidIndex Index in the port's GID table. By default, the first IPv4 address.
     * @param address Address of the device's network interface, instead of device, port and GID index.
     * @param listenPort Port in the port space of RDMA. Zero picks a free one, which services learn when they join.
     * @param ackTimeout How long the adapter waits for an acknowledgement before it sends again: 4.096 us times two to this power.
     * @param retryCount How often the adapter sends again before the connection fails. At most 7.
     * @param maxReadsAndAtomics Maximum number of reads and atomic operations of one service that are executed at once.
     */
    public record Rdma(
            @DefaultValue("false") boolean enabled,
            @Nullable String device,
            @DefaultValue("1") int port,
            @Nullable Integer gidIndex,
            @Nullable String address,
            @DefaultValue("0") int listenPort,
            @DefaultValue("14") int ackTimeout,
            @DefaultValue("3") int retryCount,
            @DefaultValue("16") int maxReadsAndAtomics) {}

    /** Whether a connecting service must show a certificate. */
    public enum ClientAuth {
        /** No certificate is requested. */
        NONE,
        /** A certificate is optional; one that is shown must be accepted. */
        WANT,
        /** A certificate is required, and must be accepted. */
        NEED
    }

    boolean hasSecret() {
        return secret != null && !secret.isEmpty();
    }

    /** Returns the accepted secrets, the current one first; none if every service may join. */
    List<String> secrets() {
        List<String> secrets = new ArrayList<>();
        if (secret != null && !secret.isEmpty()) {
            secrets.add(secret);
        }
        if (formerSecret != null && !formerSecret.isEmpty()) {
            secrets.add(formerSecret);
        }
        return secrets;
    }

    /** Does not show the secrets. */
    @Override
    public String toString() {
        return "MemoryNodeProperties[id=" + id + ", bindAddress=" + bindAddress + ", port=" + port + ", secret="
                + (hasSecret() ? "set" : "none") + "]";
    }
}
