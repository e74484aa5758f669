// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.testkit.ChildProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The shop with the beans that the build has prepared: its locks, its annotations and its endpoints are there. */
@Timeout(180)
class AheadOfTimeIT {
    @TempDir
    Path home;

    private static Path jar() throws Exception {
        try (Stream<Path> built = Files.list(Path.of("target"))) {
            return built.filter(path -> path.toString().endsWith("-exec.jar"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    }

    @Test
    void theShopSellsUnderItsLocks() throws Exception {
        sells(List.of("-Dspring.aot.enabled=true", "-jar", jar().toString()));
    }

    /** The commands of docs/spring.md. */
    @Test
    void itDoesSoWithACacheOfLoadedClasses() throws Exception {
        Path extracted = home.resolve("shop");
        run("-Djarmode=tools", "-jar", jar().toString(), "extract", "--destination", extracted.toString());
        String jar = extracted.resolve(jar().getFileName()).toString();
        Path cache = home.resolve("shop.aot");
        run(
                "-XX:AOTCacheOutput=" + cache,
                "-Dspring.aot.enabled=true",
                "-Dspring.context.exit=onRefresh",
                "-Duser.home=" + home,
                "-jar",
                jar,
                // As when it runs: a service without any memory node is refused in a container.
                "--declock.embedded.port=0");
        assertThat(cache).isNotEmptyFile();
        // With this mode Java ends instead of doing without a cache that does not fit.
        sells(List.of("-XX:AOTMode=on", "-XX:AOTCache=" + cache, "-Dspring.aot.enabled=true", "-jar", jar));
    }

    private static void run(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of(arguments));
        ChildProcess.Finished finished = ChildProcess.run(new ProcessBuilder(command), Duration.ofSeconds(90));
        assertThat(finished.status()).as(finished.text()).isZero();
    }

    private void sells(List<String> how) throws Exception {
        try (ShopProcess shop = ShopProcess.start(home, how)) {
            String url = "http://127.0.0.1:" + shop.port();
            HttpResponse<String> order = send(HttpRequest.newBuilder(URI.create(url + "/orders"))
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString("{\"product\":\"lamp\",\"quantity\":1}")));
            assertThat(order.statusCode()).as(order.body()).isEqualTo(201);
            HttpResponse<String> grants =
                    send(HttpRequest.newBuilder(URI.create(url + "/actuator/metrics/declock.grants")));
            assertThat(grants.body()).contains("\"value\":").doesNotContain("\"value\":0.0");
            HttpResponse<String> endpoint = send(HttpRequest.newBuilder(URI.create(url + "/actuator/declock")));
            assertThat(endpoint.statusCode()).as(endpoint.body()).isEqualTo(200);
            HttpResponse<String> health = send(HttpRequest.newBuilder(URI.create(url + "/actuator/health")));
            assertThat(health.body()).contains("\"declock\"").contains("\"status\":\"UP\"");
        }
        assertThat(Files.readString(home.resolve("log"))).contains("Starting AOT-processed SampleApplication");
    }
}
