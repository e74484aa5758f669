// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.ComputeNodeSettings;
import io.declock.MemoryNodeAddress;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.session.Inquiries;
import io.declock.internal.session.KnownNodeSet;
import io.declock.internal.session.MemoryNodeLink;
import io.declock.internal.session.Surroundings;
import io.declock.spi.Fabric;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.ManualTime;
import io.declock.spi.SessionListener;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What callers are told of memory nodes that cannot be had. */
class UnavailabilityTest {
    private final ManualTime time = new ManualTime();
    private final Refusing fabric = new Refusing();
    private final MemoryNodeLinks links = new MemoryNodeLinks(
            List.of(fabric),
            ComputeNodeSettings.DEFAULTS,
            new Surroundings(time, time, () -> 0, new NodeCounters(), 1, new KnownNodeSet(2), Inquiries.NONE),
            new Deaf());
    private final Unavailability unavailability = new Unavailability(links);
    private final MemoryNodeLink a = added("tcp://a:1");
    private final MemoryNodeLink b = added("tcp://b:1");

    /** Memory nodes that answer a join with a failure, or not at all. */
    private static final class Refusing implements Fabric {
        final Map<String, FabricException> failures = new HashMap<>();

        @Override
        public boolean supports(MemoryNodeAddress address) {
            return true;
        }

        @Override
        public CompletionStage<FabricSession> join(
                MemoryNodeAddress address, JoinRequest request, SessionListener listener) {
            FabricException failure = failures.get(address.toString());
            return failure == null ? new CompletableFuture<>() : CompletableFuture.failedFuture(failure);
        }

        @Override
        public String peerAddress() {
            return "";
        }

        @Override
        public void close() {}
    }

    private MemoryNodeLink added(String address) {
        links.add(MemoryNodeAddress.parse(address));
        return links.all().get(links.all().size() - 1);
    }

    private void fails(MemoryNodeLink link, FabricException failure) {
        fabric.failures.put(link.address().toString(), failure);
        link.start();
    }

    private static FabricException.Refused refused() {
        return new FabricException.Refused(FabricException.Reason.BAD_SECRET, "wrong secret");
    }

    @Test
    void aMemoryNodeHasAProblemOnceAJoinHasFailed() {
        a.start();
        assertThat(unavailability.hasProblem(a)).as("no answer yet").isFalse();
        fails(b, new FabricException("no route"));
        assertThat(unavailability.hasProblem(b)).isTrue();
        assertThat(unavailability.hasProblem(a)).isFalse();
    }

    @Test
    void ifItIsNotKnownWhichOneIsMeantAnyThatWasNeverJoinedMayBe() {
        a.start();
        assertThat(unavailability.hasProblem(null)).isFalse();
        fails(b, new FabricException("no route"));
        assertThat(unavailability.hasProblem(null)).isTrue();
        b.expect("B");
        assertThat(unavailability.hasProblem(null))
                .as("b is known, so that another one is meant")
                .isFalse();
    }

    @Test
    void theExceptionNamesTheLockTheMemoryNodeAndTheProblem() {
        fails(b, new FabricException("no route"));
        assertThat(unavailability.of("order:1", b))
                .hasMessage("lock 'order:1' lives on memory node tcp://b:1, which is unavailable: no route");
        assertThat(unavailability.of("order:1", a))
                .hasMessage("lock 'order:1' lives on memory node tcp://a:1, which is unavailable");
    }

    @Test
    void withoutAMemoryNodeItNamesThoseThatWereNeverJoined() {
        MemoryNodeLink c = added("tcp://c:1");
        fails(b, new FabricException("no route"));
        c.expect("C");
        assertThat(unavailability.of("order:1", null))
                .hasMessage("lock 'order:1' lives on a memory node that is not known yet, because these were never"
                        + " joined: tcp://a:1, tcp://b:1 (no route)");
    }

    @Test
    void aRefusalForGoodIsToldWithItsMemoryNode() {
        a.start();
        assertThat(unavailability.refusal()).isNull();
        FabricException.Refused no = refused();
        fails(b, no);
        assertThat(unavailability.refusalBy(a)).isNull();
        assertThat(unavailability.refusalBy(b)).hasCause(no);
        assertThat(unavailability.refusal())
                .hasMessage("memory node tcp://b:1 refused this process: wrong secret")
                .hasCause(no);
    }

    @Test
    void whatPassesInTimeIsNoRefusalForGood() {
        fails(a, new FabricException.Refused(FabricException.Reason.NOT_YET, "starts"));
        assertThat(unavailability.hasProblem(a)).isTrue();
        assertThat(unavailability.refusal()).isNull();
    }
}
