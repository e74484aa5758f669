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
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

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
        Page page = new Page();
        try (var process = start(ownDirectory, options)) {
            boolean ended = false;
            for (int i = 0; i < SECONDS && !ended; i++) {
                ended = process.awaitEnd(Duration.ofSeconds(1));
                process.descendants().filter(child -> !started.contains(child)).forEach(started::add);
                consoles.open(process.log());
                page.look(process.log());
            }
            String text = process.log();
            System.out.println(text);
            assertThat(ended)
                    .as("the demo ended within %s s: %s", SECONDS, text)
                    .isTrue();
            assertThat(started).as("processes that are left").noneMatch(ProcessHandle::isAlive);
            assertThat(left(files())).as("files that are left").isEmpty();
            return new Demo(process.exitValue(), text, consoles.opened(), consoles.roles(), page.looks());
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
        assertThat(demo.roles())
                .as("what the badge of each candidate's console said")
                .hasSize(2)
                .allSatisfy((console, roles) -> assertThat(roles).contains("serving"))
                .anySatisfy((console, roles) -> assertThat(roles).contains("standing by"));
        assertThat(demo.looks())
                .as("what the badge of the page said")
                .anySatisfy(look -> assertThat(look.states()).containsExactly(Map.entry("demo", Set.of("UP"))))
                .anySatisfy(look -> assertThat(look.states())
                        .hasEntrySatisfying("demo", states -> assertThat(states).containsAnyOf("RESUMING", "DOWN")))
                .allSatisfy(look -> assertThat(look.states()).containsOnlyKeys("demo"));
        assertThat(demo.looks())
                .filteredOn(look -> look.output().contains(" serves now and has restored"))
                .as("what it said after a candidate had followed the other")
                .anySatisfy(look -> assertThat(look.states()).containsExactly(Map.entry("demo", Set.of("UP"))));
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
        private final Map<URI, Set<String>> roles = new LinkedHashMap<>();

        static boolean arePrinted(String output) {
            return LINE.matcher(output).find();
        }

        /** Opens those that were not opened yet, and reads their badges. One whose process is away for the moment is opened next time. */
        void open(String output) throws InterruptedException {
            Matcher line = LINE.matcher(output);
            if (!line.find()) {
                return;
            }
            for (String address : Arrays.asList(line.group(1), line.group(2))) {
                if (address == null) {
                    continue;
                }
                URI console = URI.create(address);
                if (!opened.contains(console) && isOpen(address, line.group(3))) {
                    opened.add(console);
                }
                if (opened.contains(console)) {
                    lookAt(console, line.group(3));
                }
            }
        }

        /** Notes the part that the candidate plays, which is the first badge of its console. */
        private void lookAt(URI console, String password) throws InterruptedException {
            try {
                HttpResponse<String> state = get(URI.create(console + "/api/state"), password);
                roles.computeIfAbsent(console, any -> new LinkedHashSet<>())
                        .add(JsonMapper.builder()
                                .build()
                                .readTree(state.body())
                                .path("role")
                                .asString());
            } catch (IOException e) {
                // It has been killed, and is started again.
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
            return get(address, password).statusCode();
        }

        private static HttpResponse<String> get(URI address, String password) throws IOException, InterruptedException {
            String credentials =
                    Base64.getEncoder().encodeToString(("viewer:" + password).getBytes(StandardCharsets.UTF_8));
            HttpRequest request = HttpRequest.newBuilder(address)
                    .header("Authorization", "Basic " + credentials)
                    .timeout(Duration.ofSeconds(10))
                    .build();
            return HttpClient.newBuilder()
                    .followRedirects(HttpClient.Redirect.NORMAL)
                    .build()
                    .send(request, HttpResponse.BodyHandlers.ofString());
        }

        Set<URI> opened() {
            return opened;
        }

        Map<URI, Set<String>> roles() {
            return roles;
        }
    }

    /** The page whose address the demonstration prints, as a browser asks for its data. */
    private static final class Page {
        private static final Pattern LINE = Pattern.compile("(?m)^Watch it live: (\\S+)$");

        private final List<Look> looks = new ArrayList<>();

        void look(String output) throws InterruptedException {
            Matcher line = LINE.matcher(output);
            // With the verdict the shops begin to end.
            if (!line.find() || output.contains("OVERSOLD")) {
                return;
            }
            HttpRequest request = HttpRequest.newBuilder(
                            URI.create(line.group(1)).resolve("/live"))
                    .timeout(Duration.ofSeconds(10))
                    .build();
            try {
                JsonNode live = JsonMapper.builder()
                        .build()
                        .readTree(HttpClient.newHttpClient()
                                .send(request, HttpResponse.BodyHandlers.ofString())
                                .body());
                Map<String, Set<String>> states = new TreeMap<>();
                for (JsonNode instance : live.path("instances")) {
                    for (JsonNode node : instance.path("memoryNodes")) {
                        states.computeIfAbsent(node.path("id").asString(), any -> new TreeSet<>())
                                .add(node.path("state").asString());
                    }
                }
                if (!states.isEmpty()) {
                    looks.add(new Look(output, states));
                }
            } catch (IOException e) {
                // The shop is away: killed by the script of faults, or at the end of the demonstration.
            }
        }

        List<Look> looks() {
            return looks;
        }
    }

    /** What the page knew of memory nodes, in the states in which the shops see them, when the demonstration had printed this output. */
    private record Look(String output, Map<String, Set<String>> states) {
        @Override
        public String toString() {
            return states.toString();
        }
    }

    /** Exit code and output of a demonstration, and what was seen of its consoles and its page. */
    private record Demo(int exitCode, String text, Set<URI> consoles, Map<URI, Set<String>> roles, List<Look> looks) {
        long sold(String product) {
            Matcher row = Pattern.compile(product + " +[0-9,]+ +([0-9,]+) ").matcher(text);
            assertThat(row.find()).as("a row for %s", product).isTrue();
            return Long.parseLong(row.group(1).replace(",", ""));
        }
    }
}
