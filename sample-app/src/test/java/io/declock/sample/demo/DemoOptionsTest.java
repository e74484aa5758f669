// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** The demonstration's command line. */
class DemoOptionsTest {
    private static DemoOptions parse(String... args) {
        return DemoOptions.parse(args);
    }

    @Test
    void hasDefaults() {
        assertThat(parse()).isEqualTo(new DemoOptions(true, 3, 15, 0, 24, 4, 2000, false, "", 0, false, 180, false));
    }

    @Test
    void takesEveryOption() {
        assertThat(parse(
                        "--locking=off",
                        "--instances=5",
                        "--seconds=2",
                        "--orders=100",
                        "--concurrency=8",
                        "--products=1",
                        "--stock=50",
                        "--postgres",
                        "--rdma=10.0.0.7",
                        "--patience=60",
                        "--help"))
                .isEqualTo(new DemoOptions(false, 5, 2, 100, 8, 1, 50, true, "10.0.0.7", 0, false, 60, true));
    }

    @Test
    void saysWhatIsWrong() {
        assertThatThrownBy(() -> parse("--locking=perhaps")).hasMessage("--locking must be on or off, not 'perhaps'");
        assertThatThrownBy(() -> parse("--instances=0"))
                .hasMessage("--instances must be a number from 1 to 16, not '0'");
        assertThatThrownBy(() -> parse("--seconds=long"))
                .hasMessage("--seconds must be a number from 1 to 3600, not 'long'");
        assertThatThrownBy(() -> parse("--faults=1", "--rdma=10.0.0.7"))
                .hasMessage("--faults and --rdma do not go together");
        assertThatThrownBy(() -> parse("--faults=1", "--instances=1")).hasMessageContaining("at least 2 instances");
        assertThatThrownBy(() -> parse("--faults=1", "--standby"))
                .hasMessage("--standby goes with neither --faults nor --rdma");
        assertThat(parse("--standby").standby()).isTrue();
        assertThat(parse("--faults=3").faults()).isEqualTo(3);
        assertThat(parse("--faults=3").stock()).isEqualTo(200_000);
        assertThat(parse("--standby", "--stock=50").stock()).isEqualTo(50);
        assertThatThrownBy(() -> parse("--fast")).hasMessage("unknown option --fast");
    }
}
