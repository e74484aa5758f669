// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** Manifests of Kubernetes, read strictly: a field that its model does not know is refused. Stateless. */
final class Manifests {
    private static final KubernetesSerialization MODEL = new KubernetesSerialization();

    private static final ObjectMapper STRICT = YAMLMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .annotationIntrospector(new JacksonAnnotationIntrospector() {
                /** The model keeps unknown fields with such a method. */
                @Override
                public Boolean hasAnySetter(MapperConfig<?> config, Annotated annotated) {
                    return Boolean.FALSE;
                }
            })
            .build();

    private Manifests() {}

    /** Reads documents with lines of three hyphens between them; those without a kind are passed over. */
    static List<HasMetadata> parse(String text) {
        List<HasMetadata> parsed = new ArrayList<>();
        for (String document : text.split("(?m)^---\\s*$", -1)) {
            if (document.lines().anyMatch(line -> line.startsWith("kind:"))) {
                parsed.add(one(document));
            }
        }
        return parsed;
    }

    private static HasMetadata one(String document) {
        Object known = MODEL.unmarshal(document);
        assertThat(known).as(document).isInstanceOf(HasMetadata.class);
        return (HasMetadata) STRICT.readValue(document, known.getClass());
    }

    /** Returns those of a type. */
    static <T> List<T> of(List<HasMetadata> manifests, Class<T> type) {
        return manifests.stream().filter(type::isInstance).map(type::cast).toList();
    }
}
