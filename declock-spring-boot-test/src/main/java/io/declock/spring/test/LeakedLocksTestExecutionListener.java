// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.test;

import io.declock.LockNames;
import io.declock.LockView;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/**
 * Does what {@link FailOnLeakedLocks} says. A listener of Spring's, and not an extension of JUnit, because it must look after the test's
 * transaction has ended, which may hold locks until then, and before a dirty application context is closed.
 */
final class LeakedLocksTestExecutionListener extends AbstractTestExecutionListener {
    static final String SWITCH = "declock.test.fail-on-leaked-locks";

    /** Inside of the closing of dirty contexts (3000), outside of transactions (4000). */
    private static final int ORDER = 3500;

    private static final String BEFORE = LeakedLocksTestExecutionListener.class.getName() + ".before";

    /** What tells one hold from another. */
    private record Key(String name, String owner, @Nullable Long token) {
        static Key of(LockView view) {
            return new Key(view.name(), view.owner(), view.fencingToken());
        }
    }

    private record Before(TestLocks locks, Set<Key> held) {}

    @Override
    public int getOrder() {
        return ORDER;
    }

    @Override
    public void beforeTestMethod(TestContext test) {
        TestLocks locks = locks(test);
        if (locks != null) {
            test.setAttribute(
                    BEFORE, new Before(locks, locks.held().stream().map(Key::of).collect(Collectors.toSet())));
        }
    }

    private static @Nullable TestLocks locks(TestContext test) {
        if (!test.hasApplicationContext()) {
            return null;
        }
        ApplicationContext context = test.getApplicationContext();
        return isAsked(test, context) ? context.getBeanProvider(TestLocks.class).getIfAvailable() : null;
    }

    private static boolean isAsked(TestContext test, ApplicationContext context) {
        FailOnLeakedLocks nearest =
                AnnotatedElementUtils.findMergedAnnotation(test.getTestMethod(), FailOnLeakedLocks.class);
        if (nearest == null) {
            nearest = TestContextAnnotationUtils.findMergedAnnotation(test.getTestClass(), FailOnLeakedLocks.class);
        }
        return nearest != null ? nearest.value() : context.getEnvironment().getProperty(SWITCH, Boolean.class, false);
    }

    @Override
    public void afterTestMethod(TestContext test) {
        if (test.removeAttribute(BEFORE) instanceof Before before) {
            check(before);
        }
    }

    private static void check(Before before) {
        List<LockView> leaked = before.locks().held().stream()
                .filter(view -> !before.held().contains(Key.of(view)))
                .toList();
        if (!leaked.isEmpty()) {
            Set<String> names = leaked.stream().map(LockView::name).collect(Collectors.toSet());
            before.locks().vacate(names::contains, "a test ended without releasing it");
            throw new LeakedLocksError(
                    "The test ended while the application still held "
                            + leaked.stream()
                                    .map(LeakedLocksTestExecutionListener::text)
                                    .collect(Collectors.joining(", "))
                            + ". Release a lock in all cases: close its handle, or end the call that holds it. Later tests find it free.");
        }
    }

    private static String text(LockView view) {
        return "lock " + LockNames.quoted(view.name()) + " (" + view.mode() + ", owner " + view.owner() + ", since "
                + LocalTime.now(ZoneId.systemDefault()).minus(view.age()).truncatedTo(ChronoUnit.MILLIS) + ", for "
                + view.age().toMillis() + " ms)";
    }
}
