// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.declock.internal.Opening;
import org.junit.jupiter.api.Test;

/** The direction of dependency, and the protocol without I/O, time or threads: docs/architecture.md as rules. */
class ArchitectureTest {
    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.declock");

    private static final DescribedPredicate<JavaClass> WAY_IN = describe(
            "the way in",
            type -> type.getName().startsWith(DecLock.class.getName())
                    || type.getName().equals(Opening.class.getName()));

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
                .layer("spi")
                .definedBy("io.declock.spi")
                .layer("layout")
                .definedBy("io.declock.internal.layout")
                .layer("time")
                .definedBy("io.declock.internal.time")
                .layer("monitor")
                .definedBy("io.declock.internal.monitor")
                .layer("protocol")
                .definedBy("io.declock.internal.protocol")
                .layer("local")
                .definedBy("io.declock.internal.local")
                .layer("session")
                .definedBy("io.declock.internal.session")
                .layer("node")
                .definedBy("io.declock.internal.node")
                .layer("fabrics")
                .definedBy("io.declock.internal.inprocess..", "io.declock.internal.tcp..")
                .layer("memorynode")
                .definedBy("io.declock.internal.memorynode..")
                .whereLayer("node")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("session")
                .mayOnlyBeAccessedByLayers("node")
                .whereLayer("local")
                .mayOnlyBeAccessedByLayers("session", "node")
                .whereLayer("protocol")
                .mayOnlyBeAccessedByLayers("local", "session", "node")
                .ignoreDependency(WAY_IN, alwaysTrue())
                .check(CORE);
    }

    /** What users touch must not drag in what they must not touch, {@link DecLock} excepted, which opens it. */
    @Test
    void theApiKnowsNothingOfWhatIsBehindIt() {
        noClasses()
                .that(resideInAPackage("io.declock").and(not(WAY_IN)))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.declock.internal..", "io.declock.spi..")
                .check(CORE);
        noClasses()
                .that()
                .resideInAPackage("io.declock.spi..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.declock.internal..")
                .check(CORE);
    }

    @Test
    void theProtocolHasNoIoTimeThreadsOrRandomness() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "io.declock.internal.protocol",
                        "io.declock.internal.local",
                        "io.declock.internal.session",
                        "io.declock.internal.layout")
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
