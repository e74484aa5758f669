// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure.compose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

import io.declock.spring.autoconfigure.DecLockConnectionDetails;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetailsFactories;
import org.springframework.boot.docker.compose.core.ConnectionPorts;
import org.springframework.boot.docker.compose.core.ImageReference;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;

/** A service as Boot's Docker Compose support finds it; Docker Compose itself does not run here. */
class DockerComposeTests {
    private static Map<Class<?>, ConnectionDetails> detailsOf(String image, Map<String, String> environment) {
        ConnectionPorts ports = mock(ConnectionPorts.class);
        given(ports.get(7420)).willReturn(33001);
        RunningService service = mock(RunningService.class);
        given(service.image()).willReturn(ImageReference.of(image));
        given(service.host()).willReturn("127.0.0.1");
        given(service.ports()).willReturn(ports);
        given(service.env()).willReturn(environment);
        given(service.labels()).willReturn(Map.of());
        DockerComposeConnectionSource source = mock(DockerComposeConnectionSource.class);
        given(source.getRunningService()).willReturn(service);
        return new ConnectionDetailsFactories(DockerComposeTests.class.getClassLoader())
                .getConnectionDetails(source, false);
    }

    @Test
    void aServiceOfTheMemoryNodesImageIsConnected() {
        DecLockConnectionDetails details = (DecLockConnectionDetails) detailsOf(
                        "registry.example/declock/memory-node:1.0",
                        Map.of("DECLOCK_MEMORYNODE_SECRET", "a secret of compose"))
                .get(DecLockConnectionDetails.class);
        assertThat(details.getMemoryNodes()).containsExactly("tcp://127.0.0.1:33001");
        assertThat(details.getSecret()).isEqualTo("a secret of compose");
        assertThat(details.getSslBundle()).isNull();
    }

    @Test
    void withoutASecretNoneIsUsed() {
        DecLockConnectionDetails details = (DecLockConnectionDetails)
                detailsOf("declock/memory-node", Map.of()).get(DecLockConnectionDetails.class);
        assertThat(details.getSecret()).isNull();
    }

    @Test
    void otherServicesAreLeftAlone() {
        assertThat(detailsOf("redis", Map.of())).doesNotContainKey(DecLockConnectionDetails.class);
    }
}
