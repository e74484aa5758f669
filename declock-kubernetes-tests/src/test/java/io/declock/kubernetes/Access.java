// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kubernetes;

import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.http.RecordedRequest;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One thing that a request at the API server does, as its authorisation sees it.
 *
 * @param group API group, empty for the core
 * @param resource plural name of the kind
 * @param verb what is done
 * @param name name of the object, empty if the request names none
 */
record Access(String group, String resource, String verb, String name) {
    private static final Pattern PATH = Pattern.compile(
            "/(?:api/v1|apis/([^/]+)/v1)/namespaces/" + Chart.NAMESPACE + "/([a-z]+)(?:/([^/?]+))?(\\?.*)?");
    private static final Pattern SELECTED = Pattern.compile("fieldSelector=metadata\\.name(?:=|%3D)([^&]+)");

    /** Returns whether it concerns an object of this name, or may concern any. */
    boolean isFor(String object) {
        return name.isEmpty() || name.equals(object);
    }

    // ---------------------------------------------------------------- what is asked

    /** Returns what all requests that the server has received until now did. */
    static Set<Access> asked(KubernetesMockServer server) throws InterruptedException {
        Set<Access> asked = new LinkedHashSet<>();
        RecordedRequest request = server.takeRequest(100, TimeUnit.MILLISECONDS);
        while (request != null) {
            asked.add(of(request.getMethod(), request.getPath()));
            request = server.takeRequest(1, TimeUnit.MILLISECONDS);
        }
        return asked;
    }

    private static Access of(String method, String path) {
        Matcher parts = PATH.matcher(path);
        if (!parts.matches()) {
            throw new AssertionError("a request outside of the namespace, or unknown here: " + method + " " + path);
        }
        String query = parts.group(4) == null ? "" : parts.group(4);
        Matcher selected = SELECTED.matcher(query);
        String named = parts.group(3) != null ? parts.group(3) : selected.find() ? selected.group(1) : "";
        return new Access(
                parts.group(1) == null ? "" : parts.group(1),
                parts.group(2),
                verb(method, parts.group(3), query),
                named);
    }

    private static String verb(String method, String object, String query) {
        return switch (method) {
            case "GET" -> query.contains("watch=true") ? "watch" : object == null ? "list" : "get";
            case "POST" -> "create";
            case "PUT" -> "update";
            default -> method;
        };
    }

    // ---------------------------------------------------------------- what is allowed

    /** Returns what a role allows. */
    static Set<Access> allowed(Role role) {
        Set<Access> allowed = new LinkedHashSet<>();
        for (PolicyRule rule : role.getRules()) {
            List<String> names = rule.getResourceNames().isEmpty() ? List.of("") : rule.getResourceNames();
            for (String group : rule.getApiGroups()) {
                for (String resource : rule.getResources()) {
                    for (String verb : new TreeSet<>(rule.getVerbs())) {
                        names.forEach(name -> allowed.add(new Access(group, resource, verb, name)));
                    }
                }
            }
        }
        return allowed;
    }
}
