// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.reliability.cluster.CandidatesPlatform;
import io.declock.reliability.cluster.Cluster;
import io.declock.reliability.cluster.Node;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Faults of candidates that are the same to every engine, so a build tries them with one. */
abstract class CandidateFaults extends StandbyContract {
    @Test
    void aStandbyFollowsACandidateThatIsToldToEnd() throws Exception {
        fails(
                "SIGTERM",
                CandidatesPlatform.TERM.plusSeconds(3),
                serving -> platform().candidate(serving).terminate(),
                platform()::startCandidate);
    }

    /** As when a machine loses its power: no connection is closed. */
    @Test
    void aStandbyFollowsACandidateThatFallsSilent() throws Exception {
        // A heartbeat that is not answered for two seconds, and a second. Each candidate is woken after its term.
        fails(
                "stopped (SIGSTOP), and woken later",
                LEASE.dividedBy(5).plusSeconds(3),
                serving -> platform().candidate(serving).pause(),
                silent -> {
                    platform().candidate(silent).resume();
                    Cluster.pause(CandidatesPlatform.TERM);
                });
    }

    @Test
    void noHoldIsLostUnderLoadWhenCandidatesAreKilledOrStopped() throws Exception {
        List<Node> three = loaded("one", "two", "three");
        three.get(1).worker().take("also", 3, true);
        long term = platform().term();
        int stopped = platform().serving();
        platform().candidate(stopped).pause();
        int next = platform().awaitServing(term);
        Cluster.pause(Duration.ofSeconds(1));
        platform().candidate(stopped).resume();
        Cluster.pause(CandidatesPlatform.TERM);
        term = platform().term();
        platform().candidate(next).kill();
        platform().awaitServing(term);
        Cluster.pause(Duration.ofSeconds(1));
        platform().startCandidate(next);
        assertThat(three.get(1).worker().release("also")).isEqualTo("released");
        finish("stopped and woken, then killed", three);
    }
}
