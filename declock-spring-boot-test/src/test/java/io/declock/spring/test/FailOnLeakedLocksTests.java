// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.LockView;
import io.declock.spring.DecLocked;
import io.declock.spring.Release;
import io.declock.spring.test.shop.ShopApplication;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.Transactional;

class FailOnLeakedLocksTests {
    private static TestExecutionSummary run(Class<?> tests) {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectClass(tests))
                                .configurationParameter("junit.jupiter.conditions.deactivate", "*")
                                .build(),
                        listener);
        return listener.getSummary();
    }

    private static List<String> failed(TestExecutionSummary summary) {
        return summary.getFailures().stream()
                .map(failure -> failure.getTestIdentifier().getDisplayName())
                .toList();
    }

    @Test
    void aTestThatLeavesALockBehindFailsAndLaterOnesFindItFree() {
        TestExecutionSummary summary = run(Leaky.class);
        assertThat(failed(summary)).containsExactly("leaks()");
        assertThat(summary.getFailures().get(0).getException())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("lock 'order:42' (WRITE, owner ")
                .hasMessageContaining("since ")
                .hasMessageNotContaining("kept");
        assertThat(summary.getTestsSucceededCount()).isEqualTo(4);
    }

    @Test
    void aMethodCanAskForIt() {
        TestExecutionSummary summary = run(OnMethods.class);
        assertThat(failed(summary)).containsExactly("asks()");
        assertThat(summary.getTestsSucceededCount()).isEqualTo(1);
    }

    @Test
    void aPropertyAsksForAllTests() {
        assertThat(failed(run(ByProperty.class))).containsExactlyInAnyOrder("leaks()", "leaksToo()");
    }

    @Test
    void locksThatTheTestsTransactionHoldsAreNotLeaked() {
        TestExecutionSummary summary = run(InATransaction.class);
        assertThat(failed(summary)).isEmpty();
        assertThat(summary.getTestsSucceededCount()).isEqualTo(1);
    }

    abstract static class Tests {
        @Autowired
        DistributedReadWriteLock locks;

        @Autowired
        TestLocks testLocks;

        LockHandle acquire(String name) throws InterruptedException {
            return locks.acquire(LockRequest.write(name));
        }
    }

    @SpringBootTest(classes = ShopApplication.class)
    @FailOnLeakedLocks
    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    static class Leaky extends Tests {
        private LockHandle released;

        @BeforeAll
        void keep() throws Exception {
            acquire("kept");
        }

        @AfterEach
        void release() {
            if (released != null) {
                released.close();
                released = null;
            }
        }

        @Test
        @Order(1)
        void leaks() throws Exception {
            acquire("order:42");
        }

        @Test
        @Order(2)
        void findsItFree() throws Exception {
            testLocks.holdElsewhere("order:42").close();
            acquire("order:42").close();
            assertThat(testLocks.held()).extracting(LockView::name).containsExactly("kept");
        }

        @Test
        @Order(3)
        void releasesInAfterEach() throws Exception {
            released = acquire("order:42");
        }

        @Test
        @Order(4)
        @FailOnLeakedLocks(false)
        void isExempt() throws Exception {
            acquire("order:43");
        }

        @Nested
        class Inner {
            @Test
            void holdsNothing() throws Exception {
                acquire("order:42").close();
            }
        }
    }

    @SpringBootTest(classes = ShopApplication.class, properties = "declock.node-name=methods")
    static class OnMethods extends Tests {
        @Test
        @FailOnLeakedLocks
        void asks() throws Exception {
            acquire("order:42");
        }

        @Test
        void doesNotAsk() throws Exception {
            acquire("order:43");
        }
    }

    @SpringBootTest(classes = ShopApplication.class, properties = "declock.test.fail-on-leaked-locks=true")
    static class ByProperty extends Tests {
        @Test
        void leaks() throws Exception {
            acquire("order:42");
        }

        @Test
        void leaksToo() throws Exception {
            acquire("order:42");
        }
    }

    @SpringBootTest(classes = ShopApplication.class, properties = "spring.datasource.generate-unique-name=true")
    @FailOnLeakedLocks
    @Import(InATransaction.Orders.class)
    static class InATransaction extends Tests {
        @TestConfiguration(proxyBeanMethods = false)
        static class Orders {
            @Bean
            Desk desk() {
                return new Desk();
            }
        }

        static class Desk {
            @DecLocked(name = "order", key = "#id", release = Release.AFTER_COMPLETION)
            public void ship(long id) {}
        }

        @Autowired
        private Desk desk;

        @Test
        @Transactional
        void holdsItsLockUntilItsTransactionEnds() {
            desk.ship(42);
            assertThat(testLocks.held()).hasSize(1);
        }
    }
}
