// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.election.kubernetes;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads and makes the content of a {@code ConfigMap}: the values that are kept, and the last term that read them. Stateless. */
final class KeptContent {
    /** Not names of values that are kept: those begin with a letter. */
    private static final String TERM = "_term";

    private static final String CANDIDATE = "_candidate";

    private KeptContent() {}

    /** Returns the last term that read what is kept, 0 for none. */
    static int lastTerm(@Nullable ConfigMap kept) {
        return kept == null || kept.getData() == null
                ? 0
                : Integer.parseInt(kept.getData().getOrDefault(TERM, "0"));
    }

    /** Returns the candidate that began the last term, empty for none. */
    static String candidate(ConfigMap kept) {
        return kept.getData().getOrDefault(CANDIDATE, "");
    }

    static Map<String, byte[]> values(ConfigMap kept) {
        Map<String, byte[]> values = new HashMap<>();
        if (kept.getBinaryData() != null) {
            kept.getBinaryData()
                    .forEach(
                            (name, text) -> values.put(name, Base64.getDecoder().decode(text)));
        }
        return values;
    }

    /** Returns one that no term has read. */
    static ConfigMap empty(ObjectMeta fresh) {
        return new ConfigMapBuilder().withMetadata(fresh).addToData(TERM, "0").build();
    }

    /** Returns what it is once a term has begun. */
    static ConfigMap begun(ConfigMap before, int term, String candidate) {
        return new ConfigMapBuilder(before)
                .addToData(TERM, Integer.toString(term))
                .addToData(CANDIDATE, candidate)
                .build();
    }

    /** Returns what it is once values were changed, or removed if they are empty. */
    static ConfigMap changed(ConfigMap before, Map<String, Optional<byte[]>> changes) {
        Map<String, String> values = new HashMap<>(before.getBinaryData() == null ? Map.of() : before.getBinaryData());
        changes.forEach((name, value) -> value.ifPresentOrElse(
                bytes -> values.put(name, Base64.getEncoder().encodeToString(bytes)), () -> values.remove(name)));
        return new ConfigMapBuilder(before).withBinaryData(values).build();
    }
}
