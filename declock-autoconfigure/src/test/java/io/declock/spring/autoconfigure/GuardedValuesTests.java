// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.Guarded;
import io.declock.Guarded.Held;
import io.declock.GuardedValues;
import io.declock.ValueCodec;
import io.declock.ValueCodecs;
import io.declock.spring.Contexts;
import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import tools.jackson.databind.json.JsonMapper;

/** The bean {@link GuardedValues}, and the form in which it stores values. */
class GuardedValuesTests {
    private final ApplicationContextRunner runner = Contexts.locks();

    record Checkpoint(long batch, LocalDate day, List<String> done) {}

    @Test
    void aRecordIsStoredAsJson() {
        runner.run(context -> {
            Guarded<Checkpoint> checkpoint =
                    context.getBean(GuardedValues.class).of("import", Checkpoint.class);
            Checkpoint one = new Checkpoint(1, LocalDate.of(2026, 11, 28), List.of("a", "b"));
            assertThat(checkpoint.read()).isEmpty();
            try (Held<Checkpoint> held = checkpoint.acquire()) {
                held.set(one);
            }
            assertThat(checkpoint.read()).contains(one);
            assertThat(context.getBean(GuardedValues.class)
                            .of("import", ValueCodec.text())
                            .read())
                    .contains("{\"batch\":1,\"day\":\"2026-11-28\",\"done\":[\"a\",\"b\"]}");
        });
    }

    @Test
    void whatAnotherReleaseHasStoredIsRefusedWithTheType() {
        runner.run(context -> {
            GuardedValues values = context.getBean(GuardedValues.class);
            values.of("import", ValueCodec.text()).update(old -> "not JSON");
            assertThatThrownBy(() -> values.of("import", Checkpoint.class).acquire())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(Checkpoint.class.getName());
            // The lock was released.
            assertThat(values.of("import", ValueCodec.text()).update(old -> null))
                    .isEmpty();
        });
    }

    @Test
    void withoutJacksonThereAreTextsAndNumbers() {
        runner.withClassLoader(new FilteredClassLoader(JsonMapper.class)).run(context -> {
            GuardedValues values = context.getBean(GuardedValues.class);
            assertThat(values.of("n", Long.class).update(old -> old.orElse(41L) + 1))
                    .contains(42L);
            assertThatThrownBy(() -> values.of("import", Checkpoint.class))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("Jackson");
        });
    }

    @Test
    void anApplicationHasItsOwnCodecs() {
        ValueCodecs own = new ValueCodecs() {
            @Override
            public <T> ValueCodec<T> of(Class<T> type) {
                return new ValueCodec<>() {
                    @Override
                    public byte[] encode(T value) {
                        return new byte[] {7};
                    }

                    @Override
                    public T decode(byte[] bytes) {
                        return type.cast("own " + bytes[0]);
                    }
                };
            }
        };
        runner.withBean(ValueCodecs.class, () -> own).run(context -> {
            Guarded<String> value = context.getBean(GuardedValues.class).of("x", String.class);
            value.update(old -> "anything");
            assertThat(value.read()).contains("own 7");
        });
    }
}
