// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/**
 * A fair, fenced, distributed reader-writer lock. Users need {@code io.declock}, extenders {@code io.declock.spi}; the rest is for the
 * project's own modules and changes without notice.
 */
@SuppressWarnings({"module", "requires-automatic", "requires-transitive-automatic"})
module io.declock {
    requires static com.google.errorprone.annotations;
    requires static transitive org.jspecify;
    requires org.slf4j;
    requires io.netty.buffer;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;
    requires static io.netty.codec;
    requires static io.netty.transport.classes.epoll;
    requires static io.netty.transport.classes.io_uring;
    requires static io.netty.transport.unix.common;

    uses io.declock.internal.tcp.client.RdmaFabricProvider;
    uses io.declock.internal.memorynode.RdmaAccessProvider;
    uses io.declock.spi.election.ElectionEngineProvider;

    exports io.declock;
    exports io.declock.spi;
    exports io.declock.spi.election;
    exports io.declock.internal to
            io.declock.rdma,
            io.declock.spring,
            io.declock.memorynode.app,
            io.declock.benchmarks,
            io.declock.reliability,
            io.declock.simulation,
            io.declock.stress;
    exports io.declock.internal.chains to
            io.declock.rdma,
            io.declock.spring,
            io.declock.memorynode.app,
            io.declock.benchmarks,
            io.declock.reliability,
            io.declock.simulation,
            io.declock.stress;
    exports io.declock.internal.inprocess to
            io.declock.rdma,
            io.declock.spring,
            io.declock.spring.test,
            io.declock.memorynode.app,
            io.declock.benchmarks,
            io.declock.reliability,
            io.declock.simulation,
            io.declock.stress;
    exports io.declock.internal.layout to
            io.declock.rdma,
            io.declock.spring,
            io.declock.memorynode.app,
            io.declock.benchmarks,
            io.declock.reliability,
            io.declock.simulation,
            io.declock.stress;
    exports io.declock.internal.local to
            io.declock.rdma,
            io.declock.spring,
            io.declock.spring.test,
            io.declock.memorynode.app,
            io.declock.benchmarks,
            io.declock.reliability,
            io.declock.simulation,
            io.declock.stress;
    exports io.declock.internal.memorynode to
            io.declock.rdma,
            io.declock.spring,
            io.declock.spring.test,
            io.declock.memorynode.app,
            io.declock.benchmarks,
            io.declock.reliability,
            io.declock.simulation,
            io.declock.stress;
    exports io.declock.internal.election to
            io.declock.memorynode.app,
            io.declock.reliability,
            io.declock.simulation;
    exports io.declock.internal.state to
            io.declock.spring,
            io.declock.memorynode.app;
    exports io.declock.internal.monitor to
            io.declock.rdma,
            io.declock.spring,
            io.declock.spring.test,
            io.declock.memorynode.app,
            io.declock.benchmarks,
            io.declock.reliability,
            io.declock.simulation,
            io.declock.stress;
    exports io.declock.internal.node to
            io.declock.rdma,
            io.declock.spring,
            io.declock.spring.test,
            io.declock.memorynode.app,
            io.declock.benchmarks,
            io.declock.reliability,
            io.declock.simulation,
            io.declock.stress;
    exports io.declock.internal.protocol to
            io.declock.rdma,
            io.declock.spring,
            io.declock.spring.test,
            io.declock.memorynode.app,
            io.declock.benchmarks,
            io.declock.reliability,
            io.declock.simulation,
            io.declock.stress;
    exports io.declock.internal.rdma to
            io.declock.rdma,
            io.declock.spring,
            io.declock.memorynode.app,
            io.declock.benchmarks,
            io.declock.reliability,
            io.declock.simulation,
            io.declock.stress;
    exports io.declock.internal.session to
            io.declock.rdma,
            io.declock.spring,
            io.declock.memorynode.app,
            io.declock.benchmarks,
            io.declock.reliability,
            io.declock.simulation,
            io.declock.stress;
    exports io.declock.internal.tcp.client to
            io.declock.rdma,
            io.declock.spring,
            io.declock.memorynode.app,
            io.declock.benchmarks,
            io.declock.reliability,
            io.declock.simulation,
            io.declock.stress;
    exports io.declock.internal.tcp.server to
            io.declock.rdma,
            io.declock.spring,
            io.declock.memorynode.app,
            io.declock.benchmarks,
            io.declock.reliability,
            io.declock.simulation,
            io.declock.stress;
    exports io.declock.internal.tcp.wire to
            io.declock.rdma,
            io.declock.spring,
            io.declock.memorynode.app,
            io.declock.benchmarks,
            io.declock.reliability,
            io.declock.simulation,
            io.declock.stress;
    exports io.declock.internal.time to
            io.declock.rdma,
            io.declock.spring,
            io.declock.memorynode.app,
            io.declock.benchmarks,
            io.declock.reliability,
            io.declock.simulation,
            io.declock.stress;
}
