// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** How many lock records a memory node has. */
class SizingTest {
    private static Sizing sizing(Map<String, String> properties) {
        return Sizing.of(new Binder(new MapConfigurationPropertySource(properties))
                .bindOrCreate("declock.memory-node", Bindable.of(MemoryNodeProperties.class)));
    }

    @Test
    void oneHundredThousandByDefault() {
        Sizing sizing = sizing(Map.of());

        assertThat(sizing.records()).isEqualTo(100_000);
        assertThat(sizing.layout().capacity()).isEqualTo(64);
        assertThat(sizing.bytes()).isEqualTo(57_600_000);
    }

    @Test
    void asManyAsFitIntoTheMemory() {
        Sizing sizing = sizing(Map.of("declock.memory-node.memory", "1MB", "declock.memory-node.queue-capacity", "8"));

        assertThat(sizing.layout().strideBytes()).isEqualTo(128);
        assertThat(sizing.records()).isEqualTo(8192);
    }

    @Test
    void asManyAsAskedFor() {
        assertThat(sizing(Map.of("declock.memory-node.records", "10")).records())
                .isEqualTo(10);
    }

    @Test
    void sizesForPeople() {
        assertThat(Texts.bytes(576)).isEqualTo("576 bytes");
        assertThat(Texts.bytes(57_600_000)).isEqualTo("54.9 MiB");
        assertThat(Texts.bytes(1536)).isEqualTo("1.5 KiB");
        assertThat(Texts.bytes(5L << 30)).isEqualTo("5.0 GiB");
    }
}
