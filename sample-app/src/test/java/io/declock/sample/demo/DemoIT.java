// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.testkit.ChildProcess;
import io.declock.testkit.Needs;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demonstration as a newcomer runs it: the script, real processes, real requests. */
class DemoIT {
    private static final int SECONDS = 400;
    private static final Path SCRIPT = Path.of("..", "demo").toAbsolutePath().normalize();

    @TempDir
    Path temporary;

    private ChildProcess start(boolean ownDirectory, String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of("bash", SCRIPT.toString(), "--no-build"));
        command.addAll(List.of(options));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Files.createDirectory(files());
        if (ownDirectory) {
            builder.environment().put("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + files());
        }
        return ChildProcess.logged("demo", builder, output());
    }

    private Path output() {
        return temporary.resolve("output.txt");
    }

    private Path files() {
        return temporary.resolve("files");
    }

    private Demo demo(boolean ownDirectory, String... options) throws Exception {
        List<ProcessHandle> started = new ArrayList<>();
        Consoles consoles = new Consoles();
        try (var process = start(ownDirectory, options)) {
            boolean ended = false;
            for (int i = 0; i < SECONDS && !ended; i++) {
                ended = process.awaitEnd(Duration.ofSeconds(1));
                process.descendants().filter(child -> !started.contains(child)).forEach(started::add);
                consoles.open(process.log());
            }
            String text = process.log();
            System.out.println(text);
            assertThat(ended)
                    .as("the demo ended within %s s: %s", SECONDS, text)
                    .isTrue();
            assertThat(started).as("processes that are left").noneMatch(ProcessHandle::isAlive);
            assertThat(left(files())).as("files that are left").isEmpty();
            return new Demo(process.exitValue(), text, consoles.opened());
        } finally {
            started.forEach(ProcessHandle::destroyForcibly);
        }
    }

    private static List<Path> left(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    @Test
    void nothingIsOversoldWithTheLock() throws Exception {
        Demo demo = demo(true, "--seconds=60", "--orders=900", "--stock=400", "--products=3");

        assertThat(demo.text()).contains("NOTHING WAS OVERSOLD");
        assertThat(demo.exitCode()).isZero();
        assertThat(demo.text())
                .contains("0 errors")
                .contains("0 orders refused for an old token, 0 orders shared a token");
        assertThat(demo.sold("kettle")).isBetween(1L, 400L);
        assertThat(demo.consoles()).as("consoles that were opened").hasSize(1);
        assertThat(demo.text()).containsPattern("grants .* handed over [0-9.]+ % locally, [0-9.]+ % by a peer");
    }

    @Test
    void nothingIsOversoldWhileProcessesAreKilledStoppedAndRestarted() throws Exception {
        Demo demo = demo(true, "--faults=1", "--seconds=5", "--stock=1000000", "--products=2", "--concurrency=8");

        assertThat(demo.text())
                .contains("NOTHING WAS OVERSOLD")
                .contains("4 faults")
                .contains(" 0 at shops that ran")
                .contains("NO ORDER FAILED at a shop that ran");
        assertThat(demo.exitCode()).isZero();
        assertThat(demo.text())
                .contains(
                        "FAULT: kill -9 shop-1",
                        "FAULT: stop shop-2",
                        "FAULT: an order for kettle is slow",
                        "FAULT: kill -9 the memory node",
                        "shop-3 is back")
                .containsPattern("FAULT: the memory node is back after [0-9.]+ s and has restored holds: [1-9]")
                .contains(" 0 orders shared a token");
        assertThat(demo.consoles()).as("consoles that were opened").hasSize(1);
        assertThat(demo.sold("kettle")).isPositive();
    }

    @Test
    void noOrderFailsWhileOneCandidateFollowsTheOther() throws Exception {
        Demo demo = demo(true, "--standby", "--seconds=5", "--stock=1000000", "--products=2", "--concurrency=8");

        assertThat(demo.text())
                .contains("NOTHING WAS OVERSOLD")
                .contains("2 faults")
                .contains(" 0 errors")
                .contains("NO ORDER FAILED at a shop that ran");
        assertThat(demo.exitCode()).isZero();
        assertThat(demo.text())
                .containsPattern("FAULT: kill -9 memory-node-[ab], which serves")
                .containsPattern("FAULT: memory-node-[ab] serves now and has restored holds: [1-9]")
                .containsPattern("FAULT: tell memory-node-[ab], which serves, to end");
        assertThat(demo.consoles()).as("consoles that were opened").hasSize(2);
        assertThat(demo.sold("kettle")).isPositive();
    }

    @Test
    void theSameLoadOversellsWithoutIt() throws Exception {
        Demo demo = demo(
                true, "--seconds=60", "--orders=900", "--stock=400", "--products=3", "--instances=2", "--locking=off");

        assertThat(demo.text()).contains("OVERSOLD: ").contains("This is the expected damage of --locking=off");
        assertThat(demo.exitCode()).isEqualTo(1);
        assertThat(demo.text()).contains("sold + left = ");
    }

    @Test
    void nothingIsOversoldOnPostgres() throws Exception {
        Needs.that(
                () -> ThrowawayPostgres.programs().isPresent(),
                "the demonstration on PostgreSQL",
                "PostgreSQL's programs (Debian: apt-get install postgresql)");

        Demo demo = demo(
                false, "--postgres", "--instances=2", "--seconds=60", "--orders=500", "--stock=300", "--products=2");

        assertThat(demo.text()).contains("PostgreSQL").contains("NOTHING WAS OVERSOLD");
        assertThat(demo.exitCode()).isZero();
    }

    @Test
    void nothingIsLeftOfItWhenItIsKilled() throws Exception {
        List<ProcessHandle> children = List.of();
        try (var process = start(true, "--seconds=300", "--instances=2")) {
            for (int i = 0; i < SECONDS && !Consoles.arePrinted(process.log()); i++) {
                assertThat(process.awaitEnd(Duration.ofSeconds(1)))
                        .as("ended: %s", process.log())
                        .isFalse();
            }
            Consoles consoles = new Consoles();
            consoles.open(process.log());
            assertThat(consoles.opened())
                    .as("consoles that were opened: %s", process.log())
                    .hasSize(1)
                    .allSatisfy(console -> assertThat(Consoles.status(console, "a password that is wrong"))
                            .isEqualTo(401));
            children = process.descendants().toList();
            assertThat(children)
                    .as("a memory node, two shops and a guard")
                    .hasSize(4)
                    .allMatch(ProcessHandle::isAlive);

            // It alone: its guard has to end the others.
            ProcessHandle.of(process.pid()).orElseThrow().destroyForcibly();
            for (ProcessHandle child : children) {
                child.onExit().get(20, TimeUnit.SECONDS);
            }
            assertThat(left(files())).as("files that are left").isEmpty();
        } finally {
            children.forEach(ProcessHandle::destroyForcibly);
        }
    }

    @Test
    void saysWhatIsWrongWithItsOptions() throws Exception {
        Demo demo = demo(true, "--locking=perhaps");

        assertThat(demo.exitCode()).isEqualTo(2);
        assertThat(demo.text()).contains("--locking must be on or off").contains("Usage: ./demo");
    }

    /** The consoles whose addresses, user and password the demonstration prints, as one who copies them from there opens them. */
    private static final class Consoles {
        private static final Pattern LINE = Pattern.compile(
                "(?m)^Watch the locks: (\\S+)(?: or ([^\\s,]+), .*)? \\(user viewer, password (\\S+)\\)$");

        private final Set<URI> opened = new LinkedHashSet<>();

        static boolean arePrinted(String output) {
            return LINE.matcher(output).find();
        }

        /** Opens those that were not opened yet. One whose process is away for the moment is opened next time. */
        void open(String output) throws InterruptedException {
            Matcher line = LINE.matcher(output);
            if (!line.find()) {
                return;
            }
            for (String address : Arrays.asList(line.group(1), line.group(2))) {
                if (address != null && !opened.contains(URI.create(address)) && isOpen(address, line.group(3))) {
                    opened.add(URI.create(address));
                }
            }
        }

        private static boolean isOpen(String address, String password) throws InterruptedException {
            try {
                return status(URI.create(address), password) == 200;
            } catch (IOException e) {
                return false;
            }
        }

        static int status(URI address, String password) throws IOException, InterruptedException {
            String credentials =
                    Base64.getEncoder().encodeToString(("viewer:" + password).getBytes(StandardCharsets.UTF_8));
            HttpRequest request = HttpRequest.newBuilder(address)
                    .header("Authorization", "Basic " + credentials)
                    .timeout(Duration.ofSeconds(10))
                    .build();
            return HttpClient.newBuilder()
                    .followRedirects(HttpClient.Redirect.NORMAL)
                    .build()
                    .send(request, HttpResponse.BodyHandlers.ofString())
                    .statusCode();
        }

        Set<URI> opened() {
            return opened;
        }
    }

    /** Exit code, output and consoles of a demonstration. */
    private record Demo(int exitCode, String text, Set<URI> consoles) {
        long sold(String product) {
            Matcher row = Pattern.compile(product + " +[0-9,]+ +([0-9,]+) ").matcher(text);
            assertThat(row.find()).as("a row for %s", product).isTrue();
            return Long.parseLong(row.group(1).replace(",", ""));
        }
    }
}
