// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints the parameters of the adapters' models, and figures of the papers beside those of the models. */
@Command(
        name = "calibration",
        mixinStandardHelpOptions = true,
        description = "The adapters' models: their parameters, and what they make of figures of the papers.")
final class CalibrationCommand implements Callable<Integer> {
    @Option(names = "--seed", defaultValue = "1", description = "Seed (${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--millis",
            defaultValue = "10",
            description = "Virtual milliseconds counted per figure, after as many (${DEFAULT-VALUE}).")
    private long millis;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        parameters(out);
        out.println();
        out.println("| adapter | figure | source | use | paper | model | ratio |");
        out.println("| --- | --- | --- | --- | ---: | ---: | ---: |");
        for (Supplier<CalibrationFigures.Figure> figure : new CalibrationFigures(seed, millis * 1_000_000).all()) {
            CalibrationFigures.Figure row = figure.get();
            out.printf(
                    Locale.ROOT,
                    "| %s | %s | %s | %s | %.2f | %.2f | %.2f |%n",
                    row.adapter(),
                    row.what(),
                    row.source(),
                    row.fitted() ? "fitted" : "validation",
                    row.published(),
                    row.value(),
                    row.value() / row.published());
            out.flush();
        }
        return 0;
    }

    private static void parameters(PrintWriter out) {
        List<AdapterModel> models = List.of(AdapterModel.CONNECT_X3, AdapterModel.CONNECT_X4, AdapterModel.CONNECT_X5);
        out.println("| parameter | " + String.join(" | ", names(models)) + " |");
        out.println("| --- | ---: | ---: | ---: |");
        row(out, "a verb's way, ns", models.stream().map(AdapterModel::verbOneWay));
        row(out, "a message's way, ns", models.stream().map(AdapterModel::messageOneWay));
        row(out, "mean jitter, ns", models.stream().map(AdapterModel::jitter));
        row(out, "an atomic takes longer by, ns", models.stream().map(AdapterModel::atomicLatency));
        row(out, "READ, ns", models.stream().map(model -> model.memoryNode().readNanos()));
        row(out, "WRITE, ns", models.stream().map(model -> model.memoryNode().writeNanos()));
        row(out, "atomic, ns", models.stream().map(model -> model.memoryNode().atomicNanos()));
        row(out, "message, ns", models.stream().map(model -> model.memoryNode().messageNanos()));
        row(
                out,
                "atomics of one bucket, ns",
                models.stream().map(model -> model.memoryNode().bucketNanos()));
        row(out, "buckets", models.stream().map(model -> model.memoryNode().buckets()));
        row(
                out,
                "bytes per ns, each direction",
                models.stream().map(model -> model.memoryNode().bytesPerNano()));
    }

    private static List<String> names(List<AdapterModel> models) {
        return models.stream().map(AdapterModel::name).toList();
    }

    private static void row(PrintWriter out, String what, Stream<?> values) {
        out.println("| " + what + " | "
                + String.join(" | ", values.map(String::valueOf).toList()) + " |");
    }
}
