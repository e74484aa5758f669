// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The BOM names every published module, and nothing else, in the version of the build. */
class BomTests {
    private static final Path ROOT = Path.of("..");

    private static Document pom(String module) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(ROOT.resolve(module).resolve("pom.xml").toFile());
    }

    private static List<String> texts(Document pom, String tag) {
        return texts(pom.getElementsByTagName(tag));
    }

    private static List<String> texts(NodeList elements) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < elements.getLength(); i++) {
            texts.add(elements.item(i).getTextContent().strip());
        }
        return texts;
    }

    /** Returns the value of an element directly below the root, or an empty text. */
    private static String own(Document pom, String tag) {
        NodeList children = pom.getDocumentElement().getChildNodes();
        for (int i = 0; i < children.getLength(); i++) {
            if (children.item(i) instanceof Element element
                    && element.getTagName().equals(tag)) {
                return element.getTextContent().strip();
            }
        }
        return "";
    }

    @Test
    void namesEveryPublishedModule() throws Exception {
        List<String> published = new ArrayList<>();
        for (String module : texts(pom("."), "module")) {
            Document pom = pom(module);
            boolean isKept = texts(pom, "maven.deploy.skip").contains("true");
            if (!isKept && !own(pom, "packaging").equals("pom")) {
                published.add(own(pom, "artifactId"));
            }
        }
        assertThat(published).contains("declock-spring-boot-starter").doesNotContain("sample-app", "declock-testkit");
        Element managed = (Element)
                pom("declock-bom").getElementsByTagName("dependencyManagement").item(0);
        List<String> named = texts(managed.getElementsByTagName("artifactId"));
        assertThat(named).containsExactlyInAnyOrderElementsOf(published);
    }

    @Test
    void hasTheVersionOfTheBuild() throws Exception {
        assertThat(own(pom("declock-bom"), "version")).isEqualTo(own(pom("."), "version"));
        Element managed = (Element)
                pom("declock-bom").getElementsByTagName("dependencyManagement").item(0);
        assertThat(texts(managed.getElementsByTagName("version"))).containsOnly("${project.version}");
    }

    @Test
    void knowsTheFormatterOfTheBuild() throws Exception {
        Element plugin =
                (Element) pom("declock-bom").getElementsByTagName("plugin").item(0);
        assertThat(texts(plugin.getElementsByTagName("artifactId"))).containsExactly("spotless-maven-plugin");
        assertThat(texts(plugin.getElementsByTagName("version")))
                .isEqualTo(texts(pom("."), "spotless-maven-plugin.version"));
    }
}
