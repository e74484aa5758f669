// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A pod that Kubernetes would make.
 *
 * @param name its name
 * @param spec what it is made of
 */
record Pod(String name, PodSpec spec) {
    /** What every Secret has for every key. */
    static final String SECRET = "a secret of the cluster";

    /** Returns a pod of a StatefulSet. */
    static Pod of(StatefulSet set, int ordinal) {
        assertThat(ordinal).isLessThan(set.getSpec().getReplicas());
        return new Pod(
                set.getMetadata().getName() + "-" + ordinal,
                set.getSpec().getTemplate().getSpec());
    }

    Container container() {
        List<Container> containers = spec.getContainers();
        assertThat(containers).hasSize(1);
        return containers.get(0);
    }

    /** Returns the environment that its container has, with references resolved as the kubelet does. */
    Map<String, String> environment() {
        Map<String, String> environment = new LinkedHashMap<>();
        for (EnvVar variable : container().getEnv()) {
            assertThat(environment).doesNotContainKey(variable.getName());
            environment.put(variable.getName(), value(variable, environment));
        }
        return environment;
    }

    private String value(EnvVar variable, Map<String, String> before) {
        if (variable.getValueFrom() == null) {
            String value = variable.getValue();
            for (Map.Entry<String, String> known : before.entrySet()) {
                value = value.replace("$(" + known.getKey() + ")", known.getValue());
            }
            assertThat(value).doesNotContain("$(");
            return value;
        }
        if (variable.getValueFrom().getSecretKeyRef() != null) {
            return SECRET;
        }
        return switch (variable.getValueFrom().getFieldRef().getFieldPath()) {
            case "metadata.name" -> name;
            case "status.podIP" -> "127.0.0.1";
            default -> throw new AssertionError("a field that no pod here has: " + variable);
        };
    }
}
