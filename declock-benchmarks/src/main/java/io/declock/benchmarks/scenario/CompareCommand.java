// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.scenario;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Runs DecLock and all other locks, scenario after scenario, in one run. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        description =
                "Runs DecLock and all other locks one after another; about a quarter of an hour for each scenario.")
public final class CompareCommand implements Callable<Integer> {
    private static final Map<String, Supplier<Scenario>> SCENARIOS = new LinkedHashMap<>();

    static {
        SCENARIOS.put("uncontended", UncontendedScenario::new);
        SCENARIOS.put("hot", HotScenario::new);
        SCENARIOS.put("zipf", ZipfScenario::new);
        SCENARIOS.put("read-mostly", ReadMostlyScenario::new);
        SCENARIOS.put("same", SameScenario::new);
        SCENARIOS.put("read-config", ReadConfigScenario::new);
        SCENARIOS.put("values", ValuesScenario::new);
        SCENARIOS.put("local", LocalScenario::new);
    }

    @Mixin
    private RunOptions options = new RunOptions();

    @Parameters(
            arity = "0..*",
            paramLabel = "SCENARIO",
            description =
                    "uncontended, hot, zipf, read-mostly, same, read-config, values, local (default: all of them).")
    private List<String> names = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        int worst = 0;
        for (String name : names.isEmpty() ? List.copyOf(SCENARIOS.keySet()) : names) {
            Supplier<Scenario> maker = SCENARIOS.get(name);
            if (maker == null) {
                throw new IllegalArgumentException("no scenario '" + name + "'; there are " + SCENARIOS.keySet());
            }
            Scenario scenario = maker.get();
            scenario.options(options, jsonOf(name));
            worst = Math.max(worst, scenario.call());
        }
        return worst;
    }

    /** Returns the file of a scenario: with several scenarios, {@code results.json} becomes {@code results-hot.json}. */
    private @Nullable Path jsonOf(String name) {
        Path json = options.json();
        if (json == null || names.size() == 1) {
            return json;
        }
        String file = String.valueOf(json.getFileName());
        int dot = file.lastIndexOf('.');
        return json.resolveSibling(
                dot < 0 ? file + "-" + name : file.substring(0, dot) + "-" + name + file.substring(dot));
    }
}
