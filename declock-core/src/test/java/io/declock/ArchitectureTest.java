// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameEndingWith;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.declock.internal.Opening;
import io.declock.internal.memorynode.Region;
import io.declock.internal.tcp.wire.FrameType;
import java.lang.invoke.MethodHandles;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** In these packages the classes form layers, too. */
    @ParameterizedTest
    @ValueSource(strings = {"layout", "protocol", "local", "session"})
    void thereAreNoClassCycles(String inPackage) {
        slices().assignedFrom(new TopLevelClasses("io.declock.internal." + inPackage))
                .should()
                .beFreeOfCycles()
                .check(CORE);
    }

    /** One slice for each class of a package that no other class surrounds, with all that it surrounds. */
    private record TopLevelClasses(String inPackage) implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return type.getPackageName().equals(inPackage)
                    ? SliceIdentifier.of(type.getName().split("\\$", 2)[0])
                    : SliceIdentifier.ignore();
        }

        @Override
        public String getDescription() {
            return "classes of " + inPackage;
        }
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

    /** One idiom: a builder makes settings, which check themselves; nothing copies them with one value changed. */
    @Test
    void settingsAreMadeByTheirBuildersOnly() {
        noClasses()
                .that()
                .haveNameNotMatching(".*Settings\\$Builder")
                .should()
                .callConstructorWhere(target(owner(simpleNameEndingWith("Settings"))))
                .check(CORE);
        noMethods()
                .that()
                .areDeclaredInClassesThat()
                .haveSimpleNameEndingWith("Settings")
                .should()
                .haveNameMatching("with[A-Z].*")
                .check(CORE);
    }

    @Test
    void theMemoryNodeKnowsNoTransport() {
        noClasses()
                .that()
                .resideInAPackage("io.declock.internal.memorynode..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.netty..",
                        "java.net..",
                        "java.nio.channels..",
                        "io.declock.internal.tcp..",
                        "io.declock.internal.inprocess..")
                .check(CORE);
    }

    /** The words of a region change by {@link Region#execute}, and before a record has users by the memory node's own stores. */
    @Test
    void onlyTheRegionExecutesVerbs() {
        noClasses()
                .that()
                .doNotHaveSimpleName("Region")
                .should()
                .callMethodWhere(
                        target(owner(type(Region.class))).and(target(nameMatching("fetchAndAdd|compareAndSwap"))))
                .orShould()
                .callMethod(MethodHandles.class, "byteBufferViewVarHandle", Class.class, ByteOrder.class)
                .check(CORE);
        noClasses()
                .that()
                .doNotHaveSimpleName("RecordAllocator")
                .and()
                .doNotHaveSimpleName("Region")
                .should()
                .callMethodWhere(target(owner(type(Region.class))).and(target(nameMatching("write"))))
                .check(CORE);
    }

    /** What writes and reads a type of frame is one class of the wire, as {@code FrameTypeTest} sees. */
    @Test
    void framesAreWrittenInTheWireOnly() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.declock.internal.tcp.wire")
                .should()
                .callMethod(FrameType.class, "number")
                .check(CORE);
    }

    @Test
    void bothSidesOfTcpMeetInTheWireOnly() {
        slices().matching("io.declock.internal.tcp.(client|server)..")
                .should()
                .notDependOnEachOther()
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
