// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.declock.internal.RdmaModule;
import io.declock.internal.memorynode.RdmaAccessProvider;
import io.declock.internal.tcp.client.RdmaFabricProvider;
import io.declock.rdma.ffm.NativeCallException;
import io.declock.rdma.verbs.Errno;
import io.declock.spi.AdapterException;
import io.declock.testkit.Needs;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Settings by name, and what is said when RDMA does not work. */
class RdmaOptionsTest {
    @Test
    void namesAreRead() throws Exception {
        RdmaOptions options = RdmaOptions.of(Map.of(
                "address", "127.0.0.1",
                "ack-timeout", "16",
                "rnr-retry-count", "7",
                "poll-time", "PT0.000005S",
                "peer-connections", "false",
                "fallback", "true"));
        assertThat(options.connections().localAddress()).hasToString("/127.0.0.1");
        assertThat(options.connections().ackTimeout()).isEqualTo(16);
        assertThat(options.connections().retryCount()).isEqualTo(3);
        assertThat(options.connections().rnrRetryCount()).isEqualTo(7);
        assertThat(options.connections().pollTime()).isEqualTo(Duration.ofNanos(5_000));
        assertThat(options.peers().direct()).isFalse();
        assertThat(options.fallback()).isTrue();
        assertThat(options.provider()).isEqualTo("auto");
    }

    @Test
    void badOnesAreNamed() {
        assertBad(Map.of("acktimeout", "1"), "'acktimeout' is '1', but there is no such setting");
        assertBad(Map.of("retry-count", "many"), "'retry-count' is 'many', but must be a number");
        assertBad(Map.of("ack-timeout", "32"), "'ack-timeout' is '32', but it must be from 0 to 31");
        assertBad(Map.of("retry-count", "8"), "'retry-count' is '8', but it must be from 0 to 7");
        assertBad(Map.of("rnr-retry-count", "8"), "'rnr-retry-count' is '8', but it must be from 0 to 7");
        assertBad(Map.of("poll-time", "20us"), "'poll-time' is '20us', but must be a duration");
        assertBad(Map.of("max-in-flight", "100"), "'max-in-flight' is '100', but it must be a power of two");
        assertBad(Map.of("peer-port", "70000"), "'peer-port' is '70000', but it must be from 0 to 65535");
    }

    private static void assertBad(Map<String, String> options, String message) {
        assertThatThrownBy(() -> RdmaOptions.of(options))
                .isInstanceOf(AdapterException.class)
                .hasMessageContaining(message);
    }

    @Test
    void bothProvidersAreFound() throws Exception {
        assertThat(RdmaModule.find(RdmaFabricProvider.class)).containsInstanceOf(VerbsFabricProvider.class);
        assertThat(RdmaModule.find(RdmaAccessProvider.class)).containsInstanceOf(VerbsAccessProvider.class);
    }

    @Test
    void eachKindOfFailureSaysWhatToDo() {
        assertThat(action("rdma_create_event_channel", Errno.ENODEV)).contains("rdma link");
        assertThat(action("ibv_reg_mr", Errno.ENOMEM)).contains("ulimit -l unlimited");
        assertThat(action("rdma_create_event_channel", Errno.EACCES)).contains("/dev/infiniband/rdma_cm");
        assertThat(action("rdma_bind_addr", Errno.EADDRNOTAVAIL)).contains("declock.rdma.address");
        assertThat(action("rdma_listen", Errno.EINVAL)).contains("manual page of rdma_listen");
        assertThat(Diagnosis.of(new IOException("cannot load librdmacm.so.1: no"))
                        .action())
                .contains("libibverbs1 librdmacm1");
    }

    /** Invariant 1 needs a side of the connection that sees which session connects. */
    @Test
    void aProviderThatDoesNotShowWhoConnectsIsNoneForAMemoryNode() {
        assertThatThrownBy(() -> RdmaServer.start(null, null, new RecordingBackend(), ConnectionSettings.DEFAULTS, 0))
                .hasMessageContaining("does not identify the connecting process")
                .hasMessageContaining("ffm");
    }

    @Test
    void anUnknownProviderIsNamed() throws Exception {
        assertThatThrownBy(() -> Providers.load("dinsi"))
                .hasMessageContaining("'dinsi', but must be ffm, disni or auto");
    }

    @Test
    void aProcessHasOneProvider() throws Exception {
        Needs.that(
                () -> catchThrowable(() -> Providers.load("ffm")) == null,
                "the choice of a provider",
                "libibverbs.so.1 and librdmacm.so.1 (Debian: libibverbs1 librdmacm1)");
        assertThat(Providers.provider("auto").name()).isEqualTo("ffm");
        assertThatThrownBy(() -> Providers.provider("disni")).hasMessageContaining("already uses ffm");
    }

    @Test
    void theSecondProviderIsTakenOnlyWhereTheFirstDoesNotLoad() throws Exception {
        RecordingBackend first = new RecordingBackend();
        RecordingBackend second = new RecordingBackend();
        Providers.Loader missing = () -> {
            throw new IOException("cannot load libibverbs.so.1: no such file");
        };
        assertThat(Providers.firstThatLoads(() -> first, () -> second)).isSameAs(first);
        assertThat(Providers.firstThatLoads(missing, () -> second)).isSameAs(second);
        assertThatThrownBy(() -> Providers.firstThatLoads(missing, () -> {
                    throw new IOException("no disni in java.library.path");
                }))
                .as("where none loads, the first is what to install")
                .hasMessageContaining("libibverbs")
                .satisfies(e -> assertThat(e.getSuppressed()[0]).hasMessageContaining("no disni"));
    }

    @Test
    void aMissingLibdisniSaysWhatToDo() {
        assumeThat(catchThrowable(() -> Providers.load("disni"))).isNotNull();
        IOException failure = catchThrowableOfType(IOException.class, () -> Providers.load("disni"));
        assertThat(Diagnosis.of(failure))
                .hasMessageContaining("RDMA cannot be used: DiSNI's")
                .extracting(AdapterException::action)
                .asString()
                .contains("declock.rdma.provider to ffm");
    }

    private static String action(String function, Errno errno) {
        return Diagnosis.of(new IOException("context: " + function, new NativeCallException(function, errno.number())))
                .action();
    }
}
