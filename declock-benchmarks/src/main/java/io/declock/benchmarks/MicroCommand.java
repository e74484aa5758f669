// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.openjdk.jmh.Main;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Runs JMH with its GC profiler on. */
@Command(
        name = "micro",
        description = {
            "JMH microbenchmarks of single steps, with bytes allocated per operation.",
            "All arguments are JMH's; without arguments, all benchmarks run. -h shows JMH's help."
        })
final class MicroCommand implements Callable<Integer> {
    @Parameters(arity = "0..*", paramLabel = "JMH-ARGUMENT")
    private List<String> arguments = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        List<String> all = new ArrayList<>(arguments);
        if (!all.contains("gc")) {
            // JMH refuses a profiler that is named twice.
            all.addAll(List.of("-prof", "gc"));
        }
        Main.main(all.toArray(new String[0]));
        return 0;
    }
}
