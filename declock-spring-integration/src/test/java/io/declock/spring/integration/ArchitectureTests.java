// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.integration;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What the adapter may know. */
@AnalyzeClasses(packagesOf = DecLockRegistry.class, importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {
    @ArchTest
    static final ArchRule IT_USES_THE_PUBLIC_API_ONLY = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.declock.internal..", "io.declock.spring.autoconfigure..");

    @ArchTest
    static final ArchRule ONLY_THE_AUTO_CONFIGURATION_NEEDS_SPRING_BOOT = noClasses()
            .that()
            .haveSimpleNameNotStartingWith("DecLockIntegration")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework.boot..");
}
