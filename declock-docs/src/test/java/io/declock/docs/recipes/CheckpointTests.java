// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.Guarded;
import io.declock.GuardedValues;
import io.declock.spring.test.DecLockTest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;

@DecLockTest
@ImportAutoConfiguration(JacksonAutoConfiguration.class)
@Import({CheckpointTests.Importer.class, CheckpointTests.Batches.class})
class CheckpointTests {
    record Checkpoint(long batch) {
        static final Checkpoint START = new Checkpoint(0);

        Checkpoint next() {
            return new Checkpoint(batch + 1);
        }
    }

    static class Batches {
        final List<Long> imported = new ArrayList<>();
        long failsAt = -1;

        List<Long> after(Checkpoint from) {
            return List.of(1L, 2L, 3L, 4L).stream()
                    .filter(batch -> batch > from.batch())
                    .toList();
        }

        void importOne(long batch) {
            if (batch == failsAt) {
                throw new IllegalStateException("batch " + batch);
            }
            imported.add(batch);
        }
    }

    // tag::checkpoint[]
    @Component
    static class Importer {
        private final Guarded<Checkpoint> checkpoint;
        private final Batches batches;

        Importer(GuardedValues values, Batches batches) {
            this.checkpoint = values.of("import", Checkpoint.class);
            this.batches = batches;
        }

        void run() throws InterruptedException {
            try (Guarded.Held<Checkpoint> held = checkpoint.acquire()) {
                for (long batch : batches.after(held.value().orElse(Checkpoint.START))) {
                    batches.importOne(batch);
                    held.store(new Checkpoint(batch)); // the memory node has it when this returns
                }
            }
        }
    }
    // end::checkpoint[]

    @Autowired
    private Importer importer;

    @Autowired
    private Batches batches;

    @Autowired
    private GuardedValues values;

    @Test
    void theNextRunGoesOnWhereTheLastOneFailed() throws Exception {
        batches.failsAt = 3;
        assertThatThrownBy(importer::run).hasMessage("batch 3");
        batches.failsAt = -1;
        importer.run();
        assertThat(batches.imported).containsExactly(1L, 2L, 3L, 4L);
        Guarded<Checkpoint> checkpoint = values.of("import", Checkpoint.class);
        // tag::guarded-read[]
        Optional<Checkpoint> present = checkpoint.read(); // under a shared lock
        // end::guarded-read[]
        assertThat(present).contains(new Checkpoint(4));
        // tag::guarded-update[]
        checkpoint.update(old -> old.orElse(Checkpoint.START).next());
        // end::guarded-update[]
        assertThat(checkpoint.read()).contains(new Checkpoint(5));
    }
}
