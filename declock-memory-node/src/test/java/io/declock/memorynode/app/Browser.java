// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import io.declock.testkit.Commands;
import io.declock.testkit.Needs;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A headless Chromium that looks at the console. */
final class Browser implements AutoCloseable {
    private static final int WIDTH = 1400;
    private static final int HEIGHT = 1740;

    private final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    static void needed(String test) {
        Needs.program("chromium", test, "chromium");
        Needs.program("chromedriver", test, "chromium-driver");
    }

    static Browser start() {
        ChromeOptions options = new ChromeOptions();
        options.setBinary(Commands.find("chromium").orElseThrow().toFile());
        // Root has no sandbox in a container.
        options.addArguments("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars");
        options.addArguments("--window-size=" + WIDTH + "," + HEIGHT);
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(
                        Commands.find("chromedriver").orElseThrow().toFile())
                .usingAnyFreePort()
                .build();
        return new Browser(new ChromeDriver(service, options));
    }

    /** Opens the console, as a person does who has typed a name and a password once. */
    void open(RunningNode node, String user, String password) {
        String login =
                user + ":" + URLEncoder.encode(password, StandardCharsets.UTF_8).replace("+", "%20");
        driver.get("http://" + login + "@127.0.0.1:" + node.webPort() + "/console/texts.js");
        driver.get("http://127.0.0.1:" + node.webPort() + "/console");
    }

    void openElsewhere(String url) {
        driver.get(url);
    }

    WebElement find(String css) {
        return driver.findElement(By.cssSelector(css));
    }

    String text(String css) {
        return find(css).getText();
    }

    /** Returns the first cells of a table's rows, all of one moment. */
    List<String> rows(String table) {
        return texts(table + " tbody tr td:first-child");
    }

    /** Returns the texts of all such elements, all of one moment. */
    List<String> texts(String css) {
        Object cells = driver.executeScript(
                "return [...document.querySelectorAll(arguments[0])].map(cell => cell.textContent)", css);
        return ((List<?>) Objects.requireNonNull(cells))
                .stream().map(String::valueOf).toList();
    }

    /** Returns what a function of the page makes of each item. */
    List<Long> numbers(String items, String function) {
        Object numbers = driver.executeScript("return [..." + items + "].map(" + function + ")");
        return ((List<?>) Objects.requireNonNull(numbers))
                .stream().map(number -> ((Number) number).longValue()).toList();
    }

    /** Returns the sum of red, green and blue of an element's background. */
    long brightness(String css) {
        return numbers("[document.querySelector('" + css + "')]", """
                item => getComputedStyle(item).backgroundColor.match(/[0-9.]+/g).slice(0, 3)
                  .reduce((sum, part) => sum + Number(part), 0)""").get(0);
    }

    /** Clicks in the page at once, where an element that is drawn anew each second may be gone a moment later. */
    void click(String script) {
        driver.executeScript(script + ".click()");
    }

    String title() {
        return driver.getTitle();
    }

    void dark(boolean dark) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
    }

    /** Returns what the page and the browser complain of, such as what the content security policy has stopped. */
    List<String> complaints() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                // The browser asks for it where a document names no icon, as a script does that was opened to log in.
                .filter(entry -> !entry.getMessage().contains("/favicon.ico"))
                .map(entry -> entry.getLevel() + " " + entry.getMessage())
                .toList();
    }

    void picture(Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
    }

    @Override
    public void close() {
        driver.quit();
    }
}
