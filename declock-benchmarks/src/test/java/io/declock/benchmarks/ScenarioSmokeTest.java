// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every scenario still runs, at a tiny scale. Its figures mean nothing here. */
@Timeout(180)
class ScenarioSmokeTest {
    @TempDir
    Path folder;

    private String run(String... arguments) throws Exception {
        Path json = folder.resolve("result.json");
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        all.add("--json=" + json);
        assertThat(Benchmarks.execute(all.toArray(new String[0]))).isZero();
        String result = Files.readString(json);
        assertThat(result).contains("\"sound\" : true", "\"verdict\"", "\"cores\"");
        return result;
    }

    private String tiny(String... arguments) throws Exception {
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        all.addAll(List.of("--warm-up=0.1", "--measure=0.2", "--peers=none", "--jvms=2", "--threads=2"));
        return run(all.toArray(new String[0]));
    }

    @Test
    void hot() throws Exception {
        assertThat(tiny("hot", "--setting=pre-armed=false")).contains("pre-armed=false", "\"jain\"");
    }

    @Test
    void uncontended() throws Exception {
        assertThat(tiny("uncontended")).contains("bare-verb");
    }

    @Test
    void zipf() throws Exception {
        assertThat(tiny("zipf", "--names=1000", "--rounds=2")).contains("per remote acquisition", "\"rounds\"");
    }

    @Test
    void readMostly() throws Exception {
        assertThat(tiny("read-mostly")).contains("jvm-non-fair", "phase-fair");
    }

    @Test
    void same() throws Exception {
        assertThat(tiny("same", "--turn-millis=50"))
                .contains("(one)", "(own)", "(wandering)", "take-over, p99", "jvm-non-fair", "per cycle");
    }

    @Test
    void someLoadsOfSame() throws Exception {
        assertThat(tiny("same", "--loads=one")).contains("(one)").doesNotContain("(own)", "(wandering)");
    }

    @Test
    void readConfig() throws Exception {
        assertThat(tiny("read-config", "--write-millis=50"))
                .contains("the writer's wait, p99", "jvm-non-fair", "remote operations (posted chains) per read");
    }

    @Test
    void values() throws Exception {
        assertThat(tiny("values")).contains("declock-value (alone)", "declock-value (own)", "declock-value (hot)");
    }

    @Test
    void field() throws Exception {
        assertThat(tiny("field", "--names=20", "--locks=shiftlock,soul"))
                .contains("shiftlock (hot)", "soul (zipf)")
                .doesNotContain("dslr");
    }

    @Test
    void applications() throws Exception {
        assertThat(tiny("applications", "--locks=declock,shiftlock,soul"))
                .contains("declock (store)", "shiftlock (index)", "soul (store)", "verbs per operation of soul");
    }

    @Test
    void anApplicationThatIsToldOnTheEventLoop() throws Exception {
        assertThat(tiny("applications", "--locks=declock", "--loads=STORE", "--setting=direct-completions=true"))
                .contains("direct-completions=true", "declock (store)")
                .doesNotContain("(index)");
    }

    @Test
    void local() throws Exception {
        assertThat(tiny("local")).contains("jvm-fair");
    }

    @Test
    void names() throws Exception {
        assertThat(tiny("names", "--names=3000")).contains("records in use after reclaiming");
    }

    @Test
    void memory() throws Exception {
        assertThat(run("memory", "--records=20000", "--heap=256m")).contains("bytes per lock record");
    }

    @Test
    void compareTakesAScenariosName() {
        assertThat(Benchmarks.execute("compare", "no-such-scenario")).isNotZero();
    }
}
