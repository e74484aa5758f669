// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The sample is a user of the library: whatever it needs must be public. */
class PublicApiTest {
    @Test
    void theSampleNeedsNothingInternal() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.declock.internal..")
                .check(new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        // What the build generates from beans names whatever the beans are made of.
                        .withImportOption(location -> !location.contains("__"))
                        .importPackages("io.declock.sample"));
    }
}
