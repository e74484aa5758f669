// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.declock.ComputeNodeSettings;
import io.declock.LockHandle;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.TcpFabricSettings;
import io.declock.internal.node.ComputeNode;
import io.declock.testkit.Ports;
import io.declock.testkit.TcpProxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.Keys;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/**
 * The console in a real browser. The pictures of docs/console.md are made by {@code
 * -Ddeclock.test.extraJvmArgs=-Ddeclock.console.pictures=docs/images}, from a run that takes a minute longer.
 */
@Tag("slow")
@Timeout(180)
@ExtendWith(OutputCaptureExtension.class)
class ConsolePageTest {
    private static final String FRESH = "declock.memory-node.wait-out-old-sessions=false";
    private static final String ALLOWED = "management.endpoint.locks.access=unrestricted";
    private static final String VIEWER = "a viewer's password";
    private static final LockOwner IMPORT = LockOwner.named("nightly import");
    private static final String PICTURES = System.getProperty("declock.console.pictures", "");

    @BeforeAll
    static void needsABrowser() {
        Browser.needed("ConsolePageTest");
    }

    private static RunningNode memoryNode() {
        return RunningNode.start(
                FRESH,
                ALLOWED,
                "declock.memory-node.id=locks-1",
                "declock.memory-node.records=10000",
                "declock.memory-node.console.viewer-password=" + VIEWER);
    }

    private static ComputeNode service(RunningNode node, String name) throws InterruptedException {
        ComputeNode service = node.computeNode(
                TcpFabricSettings.DEFAULTS,
                ComputeNodeSettings.builder().name(name).build());
        assertThat(service.awaitReady(Duration.ofSeconds(20))).isTrue();
        return service;
    }

    private static void eventually(org.awaitility.core.ThrowingRunnable assertion) {
        await().atMost(Duration.ofSeconds(30)).ignoreExceptions().untilAsserted(assertion);
    }

    private static String rowOf(String lock) {
        return "[...document.querySelectorAll('#locks tbody tr')].find(row => row.textContent.startsWith('" + lock
                + "'))";
    }

    @Test
    void anOperatorFindsALockSeesWhoHoldsItAndEndsTheHold(CapturedOutput output) throws Exception {
        try (RunningNode node = memoryNode();
                ComputeNode orders = service(node, "orders");
                ComputeNode billing = service(node, "billing");
                ComputeNode returns = service(node, "returns");
                ConsoleLoad load = new ConsoleLoad(orders, billing, returns);
                Browser browser = Browser.start()) {
            LockHandle held = orders.acquire(LockRequest.write("stock:42"), IMPORT);
            CompletableFuture<LockHandle> waiting = billing.acquireAsync(
                            LockRequest.read("stock:42").waitTime(Duration.ofMinutes(3)),
                            LockOwner.named("invoice run"))
                    .toCompletableFuture();
            load.start();
            browser.open(node, "operator", RunningNode.PASSWORD);

            eventually(() -> assertThat(browser.title()).isEqualTo("locks-1 – DecLock memory node"));
            eventually(() -> assertThat(browser.rows("#locks"))
                    .contains("stock:42 default")
                    .anyMatch(name -> name.startsWith("order:")));
            assertThat(browser.rows("#sessions")).containsExactlyInAnyOrder("orders", "billing", "returns");

            browser.find("#containing").sendKeys("tock:4");
            eventually(() -> assertThat(browser.rows("#locks")).containsExactly("stock:42 default"));
            browser.click(rowOf("stock:42"));
            eventually(() -> assertThat(browser.text("#holds tbody"))
                    .contains("■ held to write", "orders", "nightly import", "" + held.fencingToken()));
            eventually(() -> assertThat(browser.text("#waits tbody")).contains("△ to read", "billing", "invoice run"));
            assertThat(browser.text("#histogram-text")).startsWith("1 caller, for ");
            assertThat(browser.text("#ended-text")).isEqualTo("none yet");
            assertThat(browser.text("#passed")).contains("orders, nightly import, token " + held.fencingToken());
            browser.find("#containing").sendKeys(Keys.BACK_SPACE.toString().repeat(6));
            takePictures(browser);

            browser.find("#end").click();
            browser.find("#reason").sendKeys("it hangs");
            browser.find("#confirm").click();

            LockHandle next = waiting.get(20, TimeUnit.SECONDS);
            eventually(() -> assertThat(browser.text("#passed").lines())
                    .satisfiesExactly(
                            latest -> assertThat(latest).contains("billing, invoice run, token " + next.fencingToken()),
                            former -> assertThat(former)
                                    .contains("orders, nightly import, token " + held.fencingToken())));
            next.close();
            assertThat(held.isValid()).isFalse();
            assertThat(output).contains("user 'operator' ends holds of 'stock:42' in namespace 'default': it hangs");
            eventually(() -> assertThat(browser.text("#holds tbody")).doesNotContain("nightly import"));
            eventually(() -> assertThat(browser.text("#ended-text")).startsWith("1, of at least "));
            assertThat(browser.text("#fairness")).matches("orders had it in [0-9,]+ of [0-9,]+ looks.*");
            assertThat(browser.find("#dialog").isDisplayed()).isFalse();
            assertThat(browser.complaints()).isEmpty();
        }
    }

    @Test
    void whatIsReservedOrKeptIsToldFromWhatIsHeld() throws Exception {
        try (RunningNode node = memoryNode();
                ComputeNode orders = service(node, "orders");
                ComputeNode jobs = service(node, "jobs");
                Browser browser = Browser.start()) {
            for (int i = 0; i < 3; i++) {
                orders.acquire(LockRequest.write("stock:1"), IMPORT).close();
            }
            jobs.acquire(LockRequest.write("report").holdAtLeast(Duration.ofHours(1)), IMPORT)
                    .close();
            browser.open(node, "operator", RunningNode.PASSWORD);

            browser.find("#containing").sendKeys("stock:1");
            eventually(() -> {
                orders.acquire(LockRequest.write("stock:1"), IMPORT).close();
                browser.click(rowOf("stock:1"));
                assertThat(browser.text("#holds tbody")).contains("○ kept, not held", "orders");
            });
            assertThat(browser.find("#end").isEnabled())
                    .as("ending what is not held")
                    .isFalse();

            browser.find("#containing").sendKeys(Keys.BACK_SPACE.toString().repeat(7) + "report");
            eventually(() -> browser.click(rowOf("report")));
            eventually(() -> assertThat(browser.text("#holds tbody")).contains("◇ reserved", "jobs"));
            jobs.close();
            eventually(() -> assertThat(browser.text("#lock-facts"))
                    .matches(".*kept for .* more for a service that has left.*"));
            assertThat(browser.find("#end").isEnabled()).isTrue();
        }
    }

    /** A reader who sees no colours, or the dark theme, has the same figures. */
    @Test
    void everyCurveHasItsAxesAndIsLegibleWithoutColour() throws Exception {
        try (RunningNode node = memoryNode();
                ComputeNode orders = service(node, "orders");
                ComputeNode billing = service(node, "billing");
                ConsoleLoad load = new ConsoleLoad(orders, billing);
                Browser browser = Browser.start()) {
            load.start();
            browser.open(node, "operator", RunningNode.PASSWORD);
            eventually(() -> browser.click(rowOf("product:")));
            eventually(() -> assertThat(browser.numbers("document.querySelectorAll('.uplot')", "item => 1"))
                    .hasSize(4));

            assertThat(browser.numbers(
                            "document.querySelectorAll('.uplot')", "item => item.querySelectorAll('.u-axis').length"))
                    .as("axes of each curve")
                    .containsOnly(2L);
            assertThat(browser.numbers("[document.querySelectorAll('#operations .u-legend line')]", """
                            lines => new Set([...lines].map(line => line.getAttribute('stroke-dasharray'))).size"""))
                    .as("ways in which the legend's lines are dashed")
                    .containsExactly(4L);
            browser.dark(false);
            long light = browser.brightness("body");
            browser.dark(true);
            assertThat(browser.brightness("body")).isLessThan(light / 2);

            browser.find("#by-rate").click();
            eventually(() -> assertThat(browser.texts("#locks tbody tr td:nth-child(4)"))
                    .isNotEmpty()
                    .isSortedAccordingTo((a, b) -> Double.compare(rate(b), rate(a))));
        }
    }

    private static double rate(String text) {
        return Double.parseDouble(text.replace(",", ""));
    }

    /** Pictures of the page as it is, in light and dark; of a longer run if they are for the documentation. */
    private static void takePictures(Browser browser) throws Exception {
        Path folder = Path.of(PICTURES.isEmpty() ? "target" : "../" + PICTURES);
        if (!PICTURES.isEmpty()) {
            eventually(() -> browser.click(rowOf("product:desk")));
            TimeUnit.MINUTES.sleep(1);
        }
        browser.dark(false);
        TimeUnit.SECONDS.sleep(2);
        browser.picture(folder.resolve("console.png"));
        browser.dark(true);
        TimeUnit.SECONDS.sleep(2);
        browser.picture(folder.resolve("console-dark.png"));
        browser.dark(false);
        eventually(() -> browser.click(rowOf("stock:42")));
        eventually(() -> assertThat(browser.text("#holds tbody")).contains("nightly import"));
    }

    @Test
    void aServiceThatIsCutOffAndTheResetOfItsLockAreShown() throws Exception {
        try (RunningNode node = memoryNode();
                TcpProxy proxy = new TcpProxy(node.service().port());
                ComputeNode orders = service(node, "orders");
                ComputeNode lost = node.computeNode(
                        TcpFabricSettings.DEFAULTS,
                        ComputeNodeSettings.builder().name("lost").build(),
                        proxy.port());
                Browser browser = Browser.start()) {
            assertThat(lost.awaitReady(Duration.ofSeconds(20))).isTrue();
            lost.acquire(LockRequest.write("report"), IMPORT);
            browser.open(node, "operator", RunningNode.PASSWORD);
            eventually(() -> assertThat(browser.rows("#locks")).contains("report default"));
            assertThat(browser.text("#resets tbody")).isEqualTo("None since this page was opened.");

            // What it connects anew leads nowhere.
            proxy.target(Ports.free());
            proxy.sever();
            CompletableFuture<LockHandle> next =
                    orders.acquireAsync(LockRequest.write("report"), IMPORT).toCompletableFuture();

            eventually(() -> assertThat(browser.text("#sessions tbody")).contains("! broken"));
            next.get(30, TimeUnit.SECONDS).close();
            eventually(() -> assertThat(browser.text("#resets tbody")).contains("report default", " → "));
        }
    }

    @Test
    void aViewerSeesHoldersAndEndsNothing() throws Exception {
        try (RunningNode node = memoryNode();
                ComputeNode orders = service(node, "orders");
                Browser browser = Browser.start();
                LockHandle held = orders.acquire(LockRequest.write("stock:42"), IMPORT)) {
            browser.open(node, "viewer", VIEWER);
            eventually(() -> browser.click(rowOf("stock:42")));

            eventually(() -> assertThat(browser.text("#holds tbody")).contains("nightly import"));
            assertThat(browser.find("#end").isEnabled()).isFalse();
            assertThat(browser.text("#cannot-end")).isEqualTo("Only the user 'operator' ends holds.");
            assertThat(held.isValid()).isTrue();
        }
    }

    @Test
    void aPageOfAnotherSiteChangesNothingWithTheRememberedPassword() throws Exception {
        String shutdown = "/actuator/shutdown";
        HttpServer elsewhere = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        try (RunningNode node = RunningNode.start(
                        FRESH,
                        "management.endpoints.web.exposure.include=shutdown",
                        "management.endpoint.shutdown.access=unrestricted");
                Browser browser = Browser.start()) {
            byte[] page = ("<form id=f method=post action=http://127.0.0.1:" + node.webPort() + shutdown
                            + "><button>Win</button>")
                    .getBytes(StandardCharsets.UTF_8);
            elsewhere.createContext("/", exchange -> {
                exchange.getResponseHeaders().set("Content-Type", "text/html");
                exchange.sendResponseHeaders(200, page.length);
                exchange.getResponseBody().write(page);
                exchange.close();
            });
            elsewhere.start();
            browser.open(node, "operator", RunningNode.PASSWORD);
            eventually(() -> assertThat(browser.title()).startsWith("test"));

            browser.openElsewhere("http://localhost:" + elsewhere.getAddress().getPort() + "/");
            browser.find("button").click();

            eventually(() -> assertThat(browser.find("body").getText()).contains("403"));
            assertThat(node.isRunning()).isTrue();
        } finally {
            elsewhere.stop(0);
        }
    }
}
