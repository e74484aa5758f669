// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kubernetes;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.InstallCommand;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.nio.file.Path;
import java.util.List;

/** The chart of memory nodes, rendered by Helm's own library. Stateless. */
final class Chart {
    static final Path DIRECTORY =
            Path.of("..", "charts", "declock-memory-node").toAbsolutePath().normalize();
    static final String NAMESPACE = "prod";
    /** What the chart calls the release "locks". */
    static final String NAME = "locks-declock-memory-node";

    /** A registry of the user's, since the chart names none. */
    private static final String IMAGE = "registry.example.org/declock/memory-node";

    private Chart() {}

    static LintResult lint() {
        return new Helm(DIRECTORY).lint().strict().call();
    }

    /**
     * Renders the release "locks" in the namespace "prod".
     *
     * @param values other values than the default ones, such as {@code standBy.enabled=true}
     * @throws IllegalStateException if the chart refuses them, with Helm's message
     */
    static List<HasMetadata> render(String... values) {
        TemplateCommand template = template();
        for (String value : values) {
            int equals = value.indexOf('=');
            template.set(value.substring(0, equals), value.substring(equals + 1));
        }
        return Manifests.parse(template.call());
    }

    /** As above, with the values of a file, in which Helm reads numbers in another way. */
    static List<HasMetadata> render(Path values) {
        return Manifests.parse(template().withValuesFile(values).call());
    }

    private static TemplateCommand template() {
        return new Helm(DIRECTORY)
                .template()
                .withName("locks")
                .withNamespace(NAMESPACE)
                .withKubeVersion("1.31.0")
                .set("image.repository", IMAGE);
    }

    /** Returns what Helm prints when it installs the release. */
    static String notes(String... values) {
        InstallCommand install = new Helm(DIRECTORY)
                .install()
                .clientOnly()
                .dryRun()
                .withName("locks")
                .withNamespace(NAMESPACE)
                .withKubeVersion("1.31.0")
                .set("image.repository", IMAGE);
        for (String value : values) {
            int equals = value.indexOf('=');
            install.set(value.substring(0, equals), value.substring(equals + 1));
        }
        String output = install.call().getOutput();
        return output.substring(output.indexOf("NOTES:"));
    }
}
