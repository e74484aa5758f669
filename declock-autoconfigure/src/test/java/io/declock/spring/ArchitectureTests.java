// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.springframework.boot.autoconfigure.AutoConfiguration;

/** Which package may know which. */
@AnalyzeClasses(packagesOf = DecLocked.class, importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {
    @ArchTest
    static final ArchRule NO_CYCLES =
            slices().matching("io.declock.spring.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule ONLY_WIRING_KNOWS_EVERYTHING = noClasses()
            .that()
            .resideOutsideOfPackage("io.declock.spring.autoconfigure..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.declock.spring.autoconfigure..");

    @ArchTest
    static final ArchRule ONLY_WIRING_KNOWS_WHAT_IS_INTERNAL = noClasses()
            .that()
            .resideOutsideOfPackage("io.declock.spring.autoconfigure..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.declock.internal..");

    @ArchTest
    static final ArchRule OPTIONAL_LIBRARIES_STAY_IN_THEIR_PLACES = noClasses()
            .that()
            .resideInAnyPackage("io.declock.spring", "io.declock.spring.aop", "io.declock.spring.support")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.micrometer..",
                    "io.github.resilience4j..",
                    "org.springframework.boot.actuate..",
                    "org.springframework.jdbc..");

    @ArchTest
    static final ArchRule ONE_CLASS_OF_THE_ADVICE_NEEDS_REACTOR = noClasses()
            .that()
            .resideInAPackage("io.declock.spring.aop")
            .and()
            .haveNameNotMatching(".*ReactiveExecution.*")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("reactor..", "org.reactivestreams..");

    @ArchTest
    static final ArchRule AUTO_CONFIGURATIONS_ARE_PUBLIC_AND_FINAL = classes()
            .that()
            .areAnnotatedWith(AutoConfiguration.class)
            .should()
            .bePublic()
            .andShould()
            .haveModifier(JavaModifier.FINAL);
}
