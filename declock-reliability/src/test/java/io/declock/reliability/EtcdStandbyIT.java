// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.reliability.cluster.CandidatesPlatform;
import io.declock.reliability.cluster.Cluster;
import io.declock.reliability.cluster.Node;
import io.declock.testkit.EtcdServer;
import io.declock.testkit.TcpProxy;
import io.declock.testkit.TcpProxy.Flow;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Stand-bys that an etcd of three members elects. */
class EtcdStandbyIT extends StandbyContract {
    private static final int MEMBERS = 3;
    private List<EtcdServer> members = List.of();

    @Override
    void startEngine() throws Exception {
        members = EtcdServer.start(MEMBERS);
    }

    @Override
    void stopEngine() {
        members.forEach(EtcdServer::close);
    }

    @Override
    void killEngine() {
        members.forEach(EtcdServer::kill);
    }

    @Override
    void restartEngine() throws Exception {
        EtcdServer.startAgain(members);
    }

    @Override
    List<Integer> enginePorts() {
        return members.stream().map(EtcdServer::port).toList();
    }

    @Override
    List<String> arguments(List<Integer> ports) {
        return List.of(
                "--declock.memory-node.election.engine=etcd",
                "--declock.memory-node.election.etcd.endpoints="
                        + ports.stream().map(port -> "http://127.0.0.1:" + port).collect(Collectors.joining(",")));
    }

    @Test
    void theEnginesLeaderIsKilled() throws Exception {
        List<Node> two = loaded("twelve", "thirteen");
        EtcdServer[] killed = new EtcdServer[1];
        goesOn(
                () -> {
                    killed[0] = leader();
                    killed[0].kill();
                    Cluster.pause(CandidatesPlatform.TERM.multipliedBy(3));
                    assertThat(leader()).isNotSameAs(killed[0]);
                },
                () -> killed[0].startAgain());
        finish("the leader of etcd killed", two);
    }

    @Test
    void servicesThatAreCutOffFromTheServingCandidateWait() throws Exception {
        List<Node> two = loaded("eight", "nine");
        goesOn(
                () -> {
                    TcpProxy cut = platform().services(platform().serving());
                    cut.set(Flow.HELD);
                    Cluster.pause(CandidatesPlatform.TERM);
                    cut.set(Flow.OPEN);
                    Cluster.pause(SETTLE);
                    cut.set(Flow.LOST);
                    Cluster.pause(CandidatesPlatform.TERM);
                    cut.set(Flow.OPEN);
                },
                () -> {});
        finish("cut twice between services and serving candidate", two);
    }

    @Test
    void servicesNeedNoCandidateThatStandsBy() throws Exception {
        TcpProxy cut = platform().services(1 - platform().serving());
        cut.set(Flow.LOST);
        cut.sever();
        List<Node> two = loaded("ten", "eleven");
        Cluster.pause(Duration.ofSeconds(1));
        cut.set(Flow.OPEN);
        finish("cut between services and the stand-by", two);
    }

    private EtcdServer leader() throws Exception {
        for (EtcdServer member : members) {
            if (member.process().isAlive() && member.leads()) {
                return member;
            }
        }
        throw new IllegalStateException("no member leads");
    }
}
