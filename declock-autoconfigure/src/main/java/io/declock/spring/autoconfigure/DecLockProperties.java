// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.FairnessPolicy;
import io.declock.ReleaseRead;
import io.declock.SettingChecks;
import io.declock.TcpTransport;
import io.declock.spring.aop.CallersTransactionPolicy;
import io.declock.spring.aop.DecLockedAdvisor;
import io.declock.spring.aop.DecLockedChecker;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Configuration properties of DecLock.
 *
 * @param memoryNodes Addresses of the memory nodes, as tcp://host:port, or rdma://host:port with the module declock-rdma. Every service that shares locks must list the same ones.
 * @param mode Where lock state lives. By default, on the configured memory nodes, or on an embedded one if none is configured.
 * @param namespace Namespace of all lock names. Services that should exclude each other share it.
 * @param nodeName Name of this instance, shown to people. By default, the application's name and its process id.
 * @param secret Secret that memory nodes and services share, of at least 16 characters.
 * @param waitTime How long an acquisition waits if the request names no wait time.
 * @param failFast Whether acquisitions fail at once while a memory node is unavailable, instead of waiting for it until their wait time is over.
 * @param lease How long this instance may be silent before a memory node declares it dead and its locks are granted to others. At least 10 ms; a memory node grants at least 50 ms.
 * @param heartbeatInterval How often the lease is renewed. At most a third of the lease; by default, a sixth of it.
 * @param leaseMargin How much earlier than the memory node this instance treats its own lease as expired. By default, a twelfth of the lease.
 * @param clockSyncInterval How often the offset between this machine's clock and the memory nodes' clocks is measured, at least; each heartbeat measures it, too.
 * @param maxIdleLocks Maximum number of unused lock names whose records are remembered.
 * @param spin How long a caller that is first in line behind a holder of this process spins before it parks; 0 for never.
 * @param ssl TLS.
 * @param fairness Fairness.
 * @param keep Locks that this instance keeps after their last user, so that taking the same lock again costs no request.
 * @param protocol Intervals and bounds of the lock protocol. The defaults suit most networks.
 * @param peer How other services reach this one.
 * @param tcp TCP connections to memory nodes.
 * @param rdma RDMA, for memory nodes whose address is rdma://host:port. Needs the module declock-rdma.
 * @param embedded The embedded memory node.
 * @param startup Start.
 * @param shutdown Shutdown.
 * @param aop Locked methods.
 * @param resilience Circuit breaker and retry.
 * @param metrics Metrics.
 * @param observation Observations.
 */
@ConfigurationProperties("declock")
public record DecLockProperties(
        @DefaultValue List<String> memoryNodes,
        @DefaultValue("auto") Mode mode,
        @DefaultValue("default") String namespace,
        @Nullable String nodeName,
        @Nullable String secret,
        @DefaultValue("30s") Duration waitTime,
        @DefaultValue("false") boolean failFast,
        @DefaultValue("3s") Duration lease,
        @Nullable Duration heartbeatInterval,
        @Nullable Duration leaseMargin,
        @DefaultValue("5s") Duration clockSyncInterval,
        @DefaultValue("65536") int maxIdleLocks,
        @DefaultValue("20us") Duration spin,
        @DefaultValue Ssl ssl,
        @DefaultValue Fairness fairness,
        @DefaultValue Keep keep,
        @DefaultValue Protocol protocol,
        @DefaultValue Peer peer,
        @DefaultValue Tcp tcp,
        @DefaultValue Rdma rdma,
        @DefaultValue Embedded embedded,
        @DefaultValue Startup startup,
        @DefaultValue Shutdown shutdown,
        @DefaultValue Aop aop,
        @DefaultValue Resilience resilience,
        @DefaultValue Metrics metrics,
        @DefaultValue Observation observation) {

    /** Does not show the secret. */
    @Override
    public String toString() {
        return "DecLockProperties[memoryNodes=" + memoryNodes + ", mode=" + mode + ", namespace=" + namespace + "]";
    }

    /** Where lock state lives. */
    public enum Mode {
        /** On the configured memory nodes, or on an embedded one if none is configured. */
        AUTO,
        /** On an embedded memory node, also on a cloud platform. */
        EMBEDDED,
        /** On the configured memory nodes only. */
        REMOTE
    }

    /**
     * TLS.
     *
     * @param bundle SSL bundle for connections to memory nodes and between services. Without one, connections are not encrypted.
     */
    public record Ssl(@Nullable String bundle) {}

    /**
     * Fairness.
     *
     * @param policy Order in which readers and writers are granted the lock.
     * @param localHandOverLimit Maximum number of consecutive grants inside this instance while a waiter of another instance may have arrived earlier. Zero for strict arrival order.
     * @param localHandOverTime Maximum duration of such a run of grants.
     * @param readerPhases With the policy phase-fair, how often readers may pass one waiting writer.
     */
    public record Fairness(
            @DefaultValue("task-fair") FairnessPolicy policy,
            @DefaultValue("128") int localHandOverLimit,
            @DefaultValue("10ms") Duration localHandOverTime,
            @DefaultValue("4") int readerPhases) {}

    /**
     * Locks that this instance keeps after their last user.
     *
     * @param enabled Whether locks are kept. A kept lock is given back as soon as another instance asks for it.
     * @param after After how many acquisitions in a row, with no other instance between them, a lock is kept.
     * @param idle How long a lock is kept without a user.
     * @param max Maximum number of locks that are kept at a time.
     */
    public record Keep(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("3") int after,
            @DefaultValue("1s") Duration idle,
            @DefaultValue("1024") int max) {}

    /**
     * Intervals and bounds of the lock protocol.
     *
     * @param selfCheckInterval How long a waiter waits before it first checks on its own whether it was granted.
     * @param prefetchInterval Minimum interval between two checks by a holder whether another instance waits.
     * @param refetchLimit How often queue entries that are not filled yet are read again.
     * @param refetchInterval Pause before queue entries are read again.
     * @param suspectAfter How long a waiter waits before it asks the other instances whether any of them holds the lock. After another instance has ended it asks at once, and so does a call that does not wait.
     * @param resetPollInterval How often a waiter checks whether a lock reset is over.
     * @param resetResendInterval How often an unanswered reset signal is sent again.
     * @param preArmedHandOver Whether a writer that knows its successor grants before its own release has landed.
     * @param releaseRead Which releases read the queue in the same round trip: always, known (a waiter is known), or adaptive (where it costs nothing, as over TCP, or a waiter is likely).
     */
    public record Protocol(
            @DefaultValue("10ms") Duration selfCheckInterval,
            @DefaultValue("500us") Duration prefetchInterval,
            @DefaultValue("8") int refetchLimit,
            @DefaultValue("50us") Duration refetchInterval,
            @DefaultValue("2s") Duration suspectAfter,
            @DefaultValue("1ms") Duration resetPollInterval,
            @DefaultValue("20ms") Duration resetResendInterval,
            @DefaultValue("true") boolean preArmedHandOver,
            @DefaultValue("adaptive") ReleaseRead releaseRead) {}

    /**
     * How other services reach this one.
     *
     * @param host Host name or address that other services use to reach this one. A name is resolved by this instance, which passes on the address. By default, the address that memory nodes see.
     * @param port Port on which other services reach this one. Zero picks a free one.
     * @param bindHost Address of the network interface to listen on for other services. By default, every interface.
     */
    public record Peer(
            @Nullable String host,
            @DefaultValue("0") int port,
            @Nullable String bindHost) {}

    /**
     * TCP connections to memory nodes.
     *
     * @param connectTimeout How long connecting to a memory node may take. An attempt to reconnect after a loss is given up sooner, and repeated.
     * @param requestTimeout How long a memory node may take to answer before its connection counts as dead.
     * @param transport Interface of the operating system that connections use. By default, the best that there is but for io-uring.
     * @param eventLoopThreads Threads that read and write connections.
     * @param eventLoopPolling How long these threads poll after the last activity before they sleep. Polling costs CPU time and saves wake-ups.
     */
    public record Tcp(
            @DefaultValue("3s") Duration connectTimeout,
            @DefaultValue("5s") Duration requestTimeout,
            @DefaultValue("auto") TcpTransport transport,
            @DefaultValue("1") int eventLoopThreads,
            @DefaultValue("0") Duration eventLoopPolling) {}

    /**
     * RDMA.
     *
     * @param device RDMA device to use, as "rdma link" names it. By default, the first one with an IPv4 address.
     * @param port Port of the device.
     * @param gidIndex Index in the port's GID table. By default, the first IPv4 address.
     * @param address Address of the device's network interface, instead of device, port and GID index.
     * @param provider Provider that calls the verbs: ffm for rdma-core's libraries by Java's foreign function interface, disni for DiSNI's own native library, which you have built, or auto for the first of them that loads.
     * @param fallback Whether memory nodes that cannot be reached by RDMA are used over TCP, with a warning, instead of failing.
     * @param ackTimeout How long the adapter waits for an acknowledgement before it sends again: 4.096 us times two to this power.
     * @param retryCount How often the adapter sends again before the connection fails. At most 7.
     * @param rnrRetryCount How often a message is sent again to an instance that has no receive buffer free at the moment. 7: until it has one.
     * @param maxInFlight Maximum number of chains of operations in flight per memory node. A power of two; further chains wait.
     * @param maxReadsAndAtomics Maximum number of reads and atomic operations in flight per connection.
     * @param inlineBytes Writes and messages up to this size are passed to the adapter inside the request, if it supports that size.
     * @param pollTime How long a thread polls for completions while operations are in flight, before it sleeps. Polling costs CPU time and saves wake-ups.
     * @param connectTimeout How long establishing an RDMA connection may take.
     * @param requestTimeout How long an operation may take before its connection counts as dead.
     * @param peer RDMA connections to other services.
     */
    public record Rdma(
            @Nullable String device,
            @DefaultValue("1") int port,
            @Nullable Integer gidIndex,
            @Nullable String address,
            @DefaultValue("auto") String provider,
            @DefaultValue("false") boolean fallback,
            @DefaultValue("14") int ackTimeout,
            @DefaultValue("3") int retryCount,
            @DefaultValue("7") int rnrRetryCount,
            @DefaultValue("128") int maxInFlight,
            @DefaultValue("16") int maxReadsAndAtomics,
            @DefaultValue("64") int inlineBytes,
            @DefaultValue("20us") Duration pollTime,
            @DefaultValue("5s") Duration connectTimeout,
            @DefaultValue("5s") Duration requestTimeout,
            @DefaultValue RdmaPeer peer) {}

    /**
     * RDMA connections to other services.
     *
     * @param enabled Whether messages to other services go over RDMA connections of their own.
     * @param port Port on which other services connect, in the port space of RDMA. Zero picks a free one.
     * @param maxConnections Maximum number of such connections at once.
     */
    public record RdmaPeer(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("0") int port,
            @DefaultValue("64") int maxConnections) {}

    /**
     * The embedded memory node.
     *
     * @param port Loopback port of the embedded memory node, which the instances of one machine share. With zero, the memory node is for this instance alone and nothing listens.
     * @param directory Directory of the files that the embedded memory nodes of one user on this machine share: a generated secret, and the time when one last ran. Only its owner may have access. By default, .declock in the user's home directory.
     * @param records Maximum number of lock names at a time.
     * @param recordsPerSession Maximum number of lock names that one instance may have created and that were not reclaimed, so that an instance that keeps asking for new names leaves room for others. Zero for nine tenths of all, or for all if the memory node is for this instance alone.
     * @param queueCapacity Number of instances that can wait for one lock without looking at its queue from time to time. A power of two, at most 256.
     * @param memoryLimit Maximum memory for the lock records. The embedded memory node does not start if they need more.
     */
    public record Embedded(
            @DefaultValue("7420") int port,
            @Nullable String directory,
            @DefaultValue("65536") int records,
            @DefaultValue("0") int recordsPerSession,
            @DefaultValue("64") int queueCapacity,
            @DefaultValue("256MB") DataSize memoryLimit) {}

    /**
     * Start.
     *
     * @param timeout How long the start of the application waits for the memory nodes.
     * @param required Whether the application fails to start when a memory node is not available by then.
     */
    public record Startup(
            @DefaultValue("10s") Duration timeout,
            @DefaultValue("false") boolean required) {
        /** Checks the values. */
        public Startup {
            SettingChecks.notNegative("declock.startup.timeout", timeout);
        }
    }

    /**
     * Shutdown.
     *
     * @param timeout How long shutdown waits for the holders of locks. Locks still held then are granted to others when the lease has expired.
     */
    public record Shutdown(@DefaultValue("20s") Duration timeout) {
        /** Checks the value. */
        public Shutdown {
            SettingChecks.positive("declock.shutdown.timeout", timeout);
        }
    }

    /**
     * Locked methods.
     *
     * @param order Order of the lock among other method interceptors. Lower is further outside; transactions are innermost by default.
     * @param selfInvocation What to do when a bean calls a locked method on its own object, past the proxy.
     * @param callersTransaction What to do when a method takes its lock inside a transaction of its caller, and would give it back before that is committed.
     */
    public record Aop(
            @DefaultValue("" + DecLockedAdvisor.DEFAULT_ORDER)
            int order,

            @DefaultValue("fail") DecLockedChecker.SelfInvocationPolicy selfInvocation,
            @DefaultValue("warn") CallersTransactionPolicy callersTransaction) {}

    /**
     * Circuit breaker and retry for memory nodes that are unavailable.
     *
     * @param circuitBreaker Circuit breaker.
     * @param retry Retry.
     */
    public record Resilience(
            @DefaultValue CircuitBreaker circuitBreaker,
            @DefaultValue Retry retry) {}

    /**
     * Circuit breaker.
     *
     * @param enabled Whether acquisitions fail at once once a memory node is known to be unavailable.
     * @param openAfter How long a memory node may be without a session before the circuit opens, even if no call failed.
     * @param failureRateThreshold Percentage of acquisitions that must have failed because of an unavailable memory node to open the circuit.
     * @param slidingWindowSize How many of the last acquisitions count.
     * @param minimumNumberOfCalls Minimum number of acquisitions before the failure rate counts.
     * @param waitDurationInOpenState How long the circuit stays open before an acquisition is let through as a trial. It closes earlier if the memory node is joined again.
     * @param permittedNumberOfCallsInHalfOpenState How many acquisitions are let through as a trial.
     */
    public record CircuitBreaker(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("1s") Duration openAfter,
            @DefaultValue("50") float failureRateThreshold,
            @DefaultValue("20") int slidingWindowSize,
            @DefaultValue("5") int minimumNumberOfCalls,
            @DefaultValue("2s") Duration waitDurationInOpenState,
            @DefaultValue("3") int permittedNumberOfCallsInHalfOpenState) {
        /** Checks the value that Resilience4j does not know. */
        public CircuitBreaker {
            SettingChecks.notNegative("declock.resilience.circuit-breaker.open-after", openAfter);
        }
    }

    /**
     * Retry.
     *
     * @param enabled Whether acquisitions that failed because of an unavailable memory node are tried again, within their wait time.
     * @param maxAttempts Maximum number of attempts, the first included.
     * @param waitDuration Pause between attempts.
     */
    public record Retry(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("3") int maxAttempts,
            @DefaultValue("200ms") Duration waitDuration) {}

    /**
     * Metrics.
     *
     * @param enabled Whether metrics are recorded.
     */
    public record Metrics(@DefaultValue("true") boolean enabled) {}

    /**
     * Observations.
     *
     * @param enabled Whether each acquisition and each hold is an observation, so that traces show how long callers waited, and for whom. An observation costs more than acquiring a free lock.
     */
    public record Observation(@DefaultValue("false") boolean enabled) {}
}
