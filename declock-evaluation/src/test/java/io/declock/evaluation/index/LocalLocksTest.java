// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.LockMode;
import io.declock.spi.VerbChain;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LocalLocksTest {
    private static final int LOCK = 5;

    private final LocalLocks locks = new LocalLocks();
    private final List<String> remote = new ArrayList<>();
    private final ArrayDeque<Runnable> later = new ArrayDeque<>();
    private final List<String> granted = new ArrayList<>();

    private final class Around extends StillWorld {
        private final String name;

        Around(String name) {
            super(LocalLocksTest.this.later);
            this.name = name;
        }

        @Override
        public void acquire(int lock, LockMode mode, Runnable then) {
            assertThat(mode).isEqualTo(LockMode.WRITE);
            remote.add("+" + name);
            later.add(then);
        }

        @Override
        public void release(int lock, Runnable released) {
            remote.add("-" + name);
            later.add(released);
        }

        @Override
        public void post(VerbChain chain) {
            throw new AssertionError();
        }
    }

    private void use(String client, int times) {
        NodeLocks own = locks.of(new Around(client));
        own.acquire(LOCK, () -> {
            granted.add(client);
            own.release(LOCK, () -> {
                if (times > 1) {
                    use(client, times - 1);
                }
            });
        });
    }

    private void run() {
        while (!later.isEmpty()) {
            later.remove().run();
        }
    }

    @Test
    void handsOverFourTimesAndThenReleases() {
        for (int i = 0; i < 7; i++) {
            use("c" + i, 1);
        }
        run();
        assertThat(granted).containsExactly("c0", "c1", "c2", "c3", "c4", "c5", "c6");
        assertThat(remote).containsExactly("+c0", "-c0", "+c5", "-c5");
    }

    @Test
    void releasesWhereNobodyWaits() {
        use("a", 1);
        run();
        use("b", 1);
        run();
        assertThat(remote).containsExactly("+a", "-a", "+b", "-b");
    }

    @Test
    void oneAtATime() {
        use("a", 20);
        use("b", 20);
        run();
        assertThat(granted).hasSize(40);
        assertThat(remote.size()).isLessThan(40);
        for (int i = 0; i < remote.size(); i += 2) {
            assertThat(remote.get(i).substring(1)).isEqualTo(remote.get(i + 1).substring(1));
            assertThat(remote.get(i)).startsWith("+");
        }
    }
}
