// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The direction of dependency, and the protocol without I/O, time or threads: docs/architecture.md as rules. */
class ArchitectureTest {
    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.declock");

    @Test
    void thereAreNoPackageCycles() {
        slices().matching("io.declock.(**)").should().beFreeOfCycles().check(CORE);
    }

    @Test
    void dependenciesPointDownwards() {
        layeredArchitecture()
                .consideringOnlyDependenciesInAnyPackage("io.declock..")
                .layer("api")
                .definedBy("io.declock")
                .layer("layout")
                .definedBy("io.declock.layout")
                .layer("time")
                .definedBy("io.declock.time")
                .layer("fabric")
                .definedBy("io.declock.fabric")
                .layer("monitor")
                .definedBy("io.declock.monitor")
                .layer("protocol")
                .definedBy("io.declock.protocol")
                .layer("local")
                .definedBy("io.declock.local")
                .layer("session")
                .definedBy("io.declock.session")
                .layer("node")
                .definedBy("io.declock.node")
                .layer("fabrics")
                .definedBy("io.declock.fabric.inprocess..", "io.declock.fabric.tcp..")
                .layer("memorynode")
                .definedBy("io.declock.memorynode..")
                .whereLayer("node")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("session")
                .mayOnlyBeAccessedByLayers("node")
                .whereLayer("local")
                .mayOnlyBeAccessedByLayers("session", "node")
                .whereLayer("protocol")
                .mayOnlyBeAccessedByLayers("local", "session", "node")
                .whereLayer("fabric")
                .mayOnlyBeAccessedByLayers("monitor", "protocol", "local", "session", "node", "fabrics", "memorynode")
                .whereLayer("api")
                .mayOnlyBeAccessedByLayers("monitor", "local", "session", "node")
                .check(CORE);
    }

    @Test
    void theProtocolHasNoIoTimeThreadsOrRandomness() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "io.declock.protocol", "io.declock.local", "io.declock.session", "io.declock.layout")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "java.net..", "java.nio.channels..", "java.io..", "io.netty..", "java.util.random..")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName(Thread.class.getName())
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching(
                        "java\\.util\\.(Random|Timer|concurrent\\.(ThreadLocalRandom|Executor.*|Scheduled.*|locks\\.LockSupport))")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .check(CORE);
    }

    @Test
    void nothingSleepsOrSynchronizes() {
        noClasses()
                .should()
                .callMethod(Thread.class, "sleep", long.class)
                .orShould()
                .callMethod(Object.class, "wait")
                .check(CORE);
    }
}
