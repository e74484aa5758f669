// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.spring.DecLocked;
import io.declock.spring.OnFailure;
import io.declock.spring.autoconfigure.DecLockAopAutoConfiguration;
import io.declock.spring.autoconfigure.DecLockAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;

/** Members that are reached by reflection are registered when an application is processed ahead of time. */
class NativeImageTests {
    @Test
    void processingAheadOfTimeRegistersLockedMethodsFallbacksAndRootObjects() throws Exception {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        TestPropertyValues.of("declock.embedded.port=0").applyTo(context);
        context.register(AopAutoConfiguration.class, DecLockAutoConfiguration.class, DecLockAopAutoConfiguration.class);
        context.registerBean(Service.class);
        DefaultGenerationContext generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get("io.declock.test", "Application")), new InMemoryGeneratedFiles());
        new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        RuntimeHints hints = generation.getRuntimeHints();
        new DecLockedRuntimeHints().registerHints(hints, getClass().getClassLoader());
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(Service.class.getDeclaredMethod("locked", int.class)))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(Service.class.getDeclaredMethod("instead", int.class)))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(LockedCall.class.getDeclaredMethod("getMethodName")))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.resource().forResource("META-INF/no-such-thing"))
                .rejects(hints);
    }

    static class Service {
        @DecLocked(name = "x", key = "#id", onFailure = OnFailure.FALLBACK, fallback = "instead")
        public String locked(int id) {
            return "";
        }

        private String instead(int id) {
            return "";
        }
    }
}
