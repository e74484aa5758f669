// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
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
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.declock.internal.Opening;
import io.declock.internal.memorynode.Region;
import io.declock.internal.tcp.wire.FrameType;
import java.lang.invoke.MethodHandles;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The direction of dependency, and the protocol without I/O, time or threads: docs/architecture.md as rules. */
class ArchitectureTest {
    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("/io/declock/testkit/"))
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
    @ValueSource(strings = {"layout", "protocol", "local", "session", "node", "memorynode", "election"})
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

    /** A package, and the other layers that it may use. */
    private record Layer(String name, String... uses) {
        String inPackage() {
            return switch (name) {
                case "api" -> "io.declock";
                case "spi" -> "io.declock.spi";
                case "spi.election" -> "io.declock.spi.election";
                default -> "io.declock.internal." + name;
            };
        }
    }

    private static final List<Layer> LAYERS = List.of(
            new Layer("api"),
            new Layer("spi", "api"),
            new Layer("spi.election"),
            new Layer("layout"),
            new Layer("time"),
            new Layer("rdma"),
            new Layer("monitor", "api", "spi", "time"),
            new Layer("protocol", "api", "spi", "layout", "time", "monitor"),
            new Layer("local", "api", "spi", "layout", "time", "monitor", "protocol"),
            new Layer("session", "api", "spi", "layout", "time", "monitor", "protocol", "local"),
            new Layer("node", "api", "spi", "layout", "time", "monitor", "protocol", "local", "session"),
            new Layer("chains", "spi"),
            new Layer("memorynode", "api", "spi", "layout", "time", "rdma", "monitor", "chains"),
            new Layer("state", "monitor", "memorynode"),
            new Layer("election", "spi.election", "time", "monitor", "memorynode"),
            new Layer("inprocess", "api", "spi", "memorynode"),
            new Layer("tcp.wire", "api", "spi", "rdma"),
            new Layer("tcp.client", "api", "spi", "rdma", "monitor", "chains", "tcp.wire"),
            new Layer("tcp.server", "api", "spi", "time", "monitor", "chains", "memorynode", "election", "tcp.wire"));

    /** A new package needs a layer. */
    @Test
    void dependenciesPointDownwards() {
        LayeredArchitecture layers = layeredArchitecture()
                .consideringOnlyDependenciesInAnyPackage("io.declock..")
                .ensureAllClassesAreContainedInArchitectureIgnoring(Opening.class.getPackageName());
        for (Layer layer : LAYERS) {
            layers = layers.layer(layer.name()).definedBy(layer.inPackage());
        }
        for (Layer layer : LAYERS) {
            LayeredArchitecture.LayerDependencySpecification where = layers.whereLayer(layer.name());
            layers = layer.uses().length == 0 ? where.mayNotAccessAnyLayer() : where.mayOnlyAccessLayers(layer.uses());
        }
        layers.ignoreDependency(WAY_IN, alwaysTrue()).check(CORE);
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
                        "java.net..",
                        "java.nio.channels..",
                        "java.nio.file..",
                        "java.io..",
                        "java.security..",
                        "java.util.random..",
                        "io.netty..")
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching("java\\.lang\\.Thread(\\$.*)?"
                        + "|java\\.time\\.(Clock|Instant|Local.*|Offset.*|Zoned.*)"
                        + "|java\\.util\\.(Random|Timer|UUID)"
                        + "|java\\.util\\.concurrent\\."
                        + "(ThreadLocalRandom|Executor.*|Scheduled.*|ForkJoin.*|locks\\.LockSupport)")
                .orShould()
                .accessTargetWhere(uses(type(System.class), "nanoTime|currentTimeMillis"))
                .orShould()
                .accessTargetWhere(uses(type(Math.class), "random"))
                .orShould()
                .accessTargetWhere(
                        uses(type(CompletableFuture.class), ".*Async|delayedExecutor|orTimeout|completeOnTimeout"))
                .check(CORE);
    }

    /** One idiom: a builder makes settings, which check themselves; nothing copies them with one value changed. */
    @Test
    void settingsAreMadeByTheirBuildersOnly() {
        noClasses()
                .that()
                .haveNameNotMatching(".*Settings\\$Builder")
                .should()
                .accessTargetWhere(uses(simpleNameEndingWith("Settings"), "<init>"))
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

    /** {@code MutexesTest} in declock-simulation sees to {@code synchronized}: ArchUnit does not see blocks. */
    @Test
    void nothingSleepsOrWaitsForAMonitor() {
        noClasses()
                .should()
                .accessTargetWhere(uses(type(Thread.class), "sleep"))
                .orShould()
                .accessTargetWhere(uses(type(TimeUnit.class), "sleep|timedWait|timedJoin"))
                .orShould()
                .accessTargetWhere(uses(type(Object.class), "wait"))
                .check(CORE);
    }

    /** Returns whether something calls, or refers to, a method with such a name of such a class. */
    private static DescribedPredicate<JavaAccess<?>> uses(
            DescribedPredicate<? super JavaClass> ofClass, String methods) {
        return target(nameMatching(methods).<AccessTarget>forSubtype().and(owner(ofClass)));
    }
}
