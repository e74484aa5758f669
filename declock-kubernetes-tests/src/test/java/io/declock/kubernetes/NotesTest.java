// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.MemoryNodeAddress;
import io.declock.spring.autoconfigure.DecLockProperties;
import io.fabric8.kubernetes.api.model.Service;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** What Helm prints at the end: the properties that services need. */
class NotesTest {
    private static final Pattern PROPERTY = Pattern.compile("(?m)^  (declock[a-z.-]*)=(.*)$");

    private static DecLockProperties properties(String... values) {
        Map<String, String> printed = PROPERTY.matcher(Chart.notes(values))
                .results()
                .collect(Collectors.toMap(line -> line.group(1), line -> line.group(2)));
        return new Binder(new MapConfigurationPropertySource(printed))
                .bind(
                        "declock",
                        Bindable.of(DecLockProperties.class),
                        new NoUnboundElementsBindHandler(BindHandler.DEFAULT))
                .get();
    }

    private static List<String> hosts(List<String> addresses) {
        return addresses.stream()
                .map(MemoryNodeAddress::parse)
                .flatMap(address -> Stream.concat(Stream.of(address), address.others().stream()))
                .map(address -> address.host() + ":" + address.port())
                .toList();
    }

    private static List<String> services(String... values) {
        return Manifests.of(Chart.render(values), Service.class).stream()
                .filter(service -> !"None".equals(service.getSpec().getClusterIP()))
                .map(service -> service.getMetadata().getName() + ".prod.svc:7420")
                .toList();
    }

    @Test
    void theAddressesAreThoseOfTheServices() {
        assertThat(properties().memoryNodes()).hasSize(3);
        assertThat(hosts(properties().memoryNodes())).containsExactlyElementsOf(services());
        assertThat(properties().lease()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void candidatesOfOneMemoryNodeAreOneAddress() {
        List<String> addresses = properties(ChartTest.STAND_BY).memoryNodes();
        assertThat(addresses).hasSize(2);
        assertThat(hosts(addresses)).containsExactlyElementsOf(services(ChartTest.STAND_BY));
    }

    @Test
    void certificatesAreNamed() {
        assertThat(properties(ChartTest.TLS).ssl().bundle()).contains("certificates");
        assertThat(Chart.notes("secret.value=0123456789abcdef"))
                .doesNotContain("0123456789abcdef")
                .doesNotContain("create secret");
    }
}
