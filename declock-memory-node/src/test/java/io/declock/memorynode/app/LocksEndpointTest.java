// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.LockHandle;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.TcpFabricSettings;
import io.declock.internal.node.ComputeNode;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.test.json.BasicJsonTester;
import org.springframework.boot.test.json.JsonContent;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.event.ApplicationEventMulticaster;

/** What operators see by HTTP, and can do if they are allowed to. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class LocksEndpointTest {
    private static final String FRESH = "declock.memory-node.wait-out-old-sessions=false";
    private static final String EXPOSED = "management.endpoints.web.exposure.include=locks";
    private static final String ALLOWED = "management.endpoint.locks.access=unrestricted";
    private static final LockOwner BATCH = LockOwner.named("nightly batch");

    private final BasicJsonTester json = new BasicJsonTester(getClass());

    private JsonContent<Object> ok(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return json.from(response.body());
    }

    private static ComputeNode joined(RunningNode memoryNode) throws InterruptedException {
        ComputeNode node = memoryNode.computeNode(TcpFabricSettings.DEFAULTS);
        assertThat(node.awaitReady(Duration.ofSeconds(20))).isTrue();
        return node;
    }

    @Test
    void anOperatorSeesWhoHoldsALockAndEndsTheHold(CapturedOutput output) throws Exception {
        try (RunningNode memoryNode = RunningNode.start(FRESH, EXPOSED, ALLOWED);
                ComputeNode holder = joined(memoryNode);
                ComputeNode other = joined(memoryNode)) {
            LockHandle handle = holder.acquire(LockRequest.write("report/2026?a=b"), BATCH);
            CompletableFuture<LockHandle> waiting = other.acquireAsync(
                            LockRequest.write("report/2026?a=b"), LockOwner.named("page"))
                    .toCompletableFuture();
            String path = "/actuator/locks/default?name=report/2026%3Fa%3Db";
            JsonContent<Object> lock;
            do {
                lock = ok(memoryNode.get(path));
            } while (!lock.getJson().contains("WAITING"));
            assertThat(lock).extractingJsonPathNumberValue("lock.writers").isEqualTo(2);
            assertThat(lock)
                    .extractingJsonPathArrayValue("services[*].uses[?(@.state == 'HELD')].owner")
                    .containsExactly("nightly batch");
            assertThat(ok(memoryNode.get("/actuator/locks?containing=report&limit=5")))
                    .extractingJsonPathArrayValue("locks[*].name")
                    .containsExactly("report/2026?a=b");

            Queue<AuditEvent> audited = new ConcurrentLinkedQueue<>();
            memoryNode
                    .bean(ApplicationEventMulticaster.class)
                    .addApplicationListener((AuditApplicationEvent event) -> audited.add(event.getAuditEvent()));

            ok(memoryNode.send("DELETE", path + "&reason=it+hangs"));

            waiting.get(20, TimeUnit.SECONDS).close();
            assertThat(handle.isValid()).isFalse();
            assertThat(output).contains("user 'operator' ends holds of 'report/2026?a=b'", "it hangs");
            assertThat(audited).singleElement().satisfies(event -> {
                assertThat(event.getType()).isEqualTo(LocksEndpoint.ENDED);
                assertThat(event.getPrincipal()).isEqualTo("operator");
                assertThat(event.getData())
                        .containsEntry("namespace", "default")
                        .containsEntry("lock", "report/2026?a=b")
                        .hasEntrySatisfying(
                                "reason",
                                reason -> assertThat(reason.toString()).contains("it hangs"));
            });
            assertThat(memoryNode
                            .send("DELETE", "/actuator/locks/default?name=other")
                            .statusCode())
                    .isEqualTo(404);
            assertThat(memoryNode.get("/actuator/locks?limit=0").statusCode()).isEqualTo(400);
        }
    }

    @Test
    void holdsCannotBeEndedUnlessThatIsAllowed() throws Exception {
        try (RunningNode memoryNode = RunningNode.start(FRESH, EXPOSED);
                ComputeNode holder = joined(memoryNode);
                LockHandle handle = holder.acquire(LockRequest.write("report"), BATCH)) {
            assertThat(memoryNode
                            .send("DELETE", "/actuator/locks/default?name=report")
                            .statusCode())
                    .isEqualTo(405);
            assertThat(handle.isValid()).isTrue();
            ok(memoryNode.get("/actuator/locks/default?name=report"));
        }
    }

    @Test
    void locksAreNotShownUnlessExposed() throws Exception {
        try (RunningNode memoryNode = RunningNode.start("management.endpoints.web.exposure.include=health")) {
            assertThat(memoryNode.get("/actuator/locks").statusCode()).isEqualTo(404);
        }
    }
}
