// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.evaluation.experiment.Examples;
import io.declock.evaluation.experiment.Report;
import io.declock.evaluation.experiment.Runner;
import io.declock.evaluation.experiment.Size;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportFilesTest {
    private static final Provenance PROVENANCE = new Provenance("2026-01-02", "abc", "a machine");

    @TempDir
    private Path folder;

    @BeforeAll
    static void paintWithoutAScreen() {
        System.setProperty("java.awt.headless", "true");
    }

    private static Report report(int threads) {
        return new Runner(3, Size.FULL, threads, new PrintWriter(new StringWriter()), () -> 0)
                .run(List.of(Examples.experiment("first"), Examples.failing("second"), Examples.experiment("third")));
    }

    private static List<Path> files(Path folder) throws IOException {
        try (var all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }

    @Test
    void twoRunsGiveTheSameBytesWithAnyNumberOfThreads() throws IOException {
        ReportFiles.write(report(1), PROVENANCE, folder.resolve("a"));
        ReportFiles.write(report(2), PROVENANCE, folder.resolve("b"));
        List<Path> files = files(folder.resolve("a"));
        assertThat(files).hasSize(2 + 2 * 4);
        for (Path file : files) {
            Path other = folder.resolve("b").resolve(folder.resolve("a").relativize(file));
            assertThat(other).hasSameBinaryContentAs(file);
        }
    }

    @Test
    void onlyTheProvenanceDiffersOnAnotherDay() throws IOException {
        Provenance later = new Provenance("2027-03-04", "def", "another machine");
        String page = HtmlPage.of(report(1), PROVENANCE);
        assertThat(HtmlPage.of(report(1), later)).isEqualTo(page.replace(PROVENANCE.line(), later.line()));
        String summary = MarkdownPage.of(report(1), PROVENANCE);
        assertThat(MarkdownPage.of(report(1), later)).isEqualTo(summary.replace(PROVENANCE.line(), later.line()));
    }

    @Test
    void thePageNeedsNoOtherFileAndHasEachIdOnce() {
        String page = HtmlPage.of(report(1), PROVENANCE);
        assertThat(page)
                .doesNotContain("src=")
                .doesNotContain("<link")
                .doesNotContain("<script")
                .contains("fast &amp; &lt;good&gt;")
                .contains("second/slow/4.0: java.lang.IllegalStateException: no virtual time left")
                .contains("It is an example.")
                .contains("currentColor")
                .doesNotContain("rgb(1,2,3)");
        Set<String> ids = new HashSet<>();
        Matcher matcher = Pattern.compile("\\bid=\"([^\"]+)\"").matcher(page);
        while (matcher.find()) {
            assertThat(ids.add(matcher.group(1))).as(matcher.group(1)).isTrue();
        }
        assertThat(ids).contains("first", "second", "third", "first-lines-clipPath1");
    }

    @Test
    void theFiguresArePictures() throws Exception {
        ReportFiles.write(report(1), PROVENANCE, folder);
        for (String name : List.of("first-lines", "first-bars")) {
            Path figures = folder.resolve(ReportFiles.FIGURES);
            var image = ImageIO.read(figures.resolve(name + ".png").toFile());
            assertThat(image.getWidth()).isGreaterThan(image.getHeight());
            String svg = Files.readString(figures.resolve(name + ".svg"));
            var document = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
            assertThat(document.getDocumentElement().getAttribute("viewBox")).isNotEmpty();
            assertThat(document.getElementsByTagName("text").getLength()).isGreaterThan(5);
        }
    }

    @Test
    void thePageOfTheDocumentationSaysWhatWasPublishedWhatIsHereAndWhy() {
        assertThat(MarkdownPage.of(report(1), PROVENANCE))
                .contains("| fast over slow | section 0 | 4 × | 4 × | 1 | reached |")
                .contains("| slow | section 0 | 7 M/s | 1 M/s | 0.143 | differs. It is an example. |")
                .contains("**Not run to its end**: second/slow/4.0")
                .contains(
                        "Of 4 published values reached: 2; more than the paper's: 0; the paper's order, another size: 0; differs: 2.");
    }

    @Test
    void aTableHasARowForEachOfItsRows() {
        assertThat(MarkdownPage.of(report(1), PROVENANCE))
                .contains("Side by side:\n\n| | width & height | depth |\n| --- | ---: | ---: |\n")
                .contains("| with | 1.5 | 20 |\n| without | 2 | 0.25 |\n");
        assertThat(HtmlPage.of(report(1), PROVENANCE))
                .contains("<tr><th>Side by side</th><th>width &amp; height</th><th>depth</th></tr>")
                .contains("<tr><td>without</td><td class=\"number\">2</td><td class=\"number\">0.25</td></tr>");
        StringWriter text = new StringWriter();
        TextPage.print(report(1), new PrintWriter(text));
        assertThat(text.toString()).contains("Side by side:").containsPattern("without +2 +0.25");
    }

    @Test
    void numbersHaveFourDigitsAtMostAndNoExponent() {
        assertThat(Numbers.text(0)).isEqualTo("0");
        assertThat(Numbers.text(1_234_567.8)).isEqualTo("1,234,568");
        assertThat(Numbers.text(123.456)).isEqualTo("123.5");
        assertThat(Numbers.text(1.10)).isEqualTo("1.1");
        assertThat(Numbers.text(0.0187)).isEqualTo("0.0187");
        assertThat(Numbers.text(0.000014)).isEqualTo("0.000014");
        assertThat(Numbers.text(100)).isEqualTo("100");
        assertThat(Numbers.text(Double.NaN)).isEqualTo("none");
    }
}
