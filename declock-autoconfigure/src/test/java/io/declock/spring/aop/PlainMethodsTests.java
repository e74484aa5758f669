// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.declock.ComputeNodeMonitor;
import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockMode;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.spring.Contexts;
import io.declock.spring.DecLockContext;
import io.declock.spring.DecLocked;
import io.declock.spring.DecLockedMisuseException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationContext;

/** Methods whose end is the end of their work: what they hold, and for how long. */
class PlainMethodsTests {
    @Test
    void theLockIsHeldWhileTheMethodRunsAndNotAfter() {
        run(Orders.class, (context, orders) -> {
            assertThat(orders.ship(42)).isEqualTo("{order:42=WRITE}");
            assertThat(context.getBean(ComputeNodeMonitor.class).heldNow()).isZero();
        });
    }

    @Test
    void theLockIsReleasedWhenTheMethodThrows() {
        run(Orders.class, (context, orders) -> {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> orders.fail(1))
                    .withMessage("no");
            assertThat(context.getBean(ComputeNodeMonitor.class).heldNow()).isZero();
        });
    }

    @Test
    void aMethodWaitsForAnotherHolder() throws Exception {
        run(Orders.class, (context, orders) -> {
            DistributedReadWriteLock lock = context.getBean(DistributedReadWriteLock.class);
            LockHandle other = lock.acquire(LockRequest.write("order:7"), LockOwner.named("other"));
            Thread thread = new Thread(() -> orders.ship(7));
            thread.start();
            thread.join(200);
            assertThat(thread.isAlive()).isTrue();
            other.close();
            thread.join(10_000);
            assertThat(thread.isAlive()).isFalse();
        });
    }

    @Test
    void severalKeysAndModesAreOneRequest() {
        run(
                Orders.class,
                (context, orders) -> assertThat(orders.transfer("b", "a"))
                        .isEqualTo("{account:a=WRITE, account:b=WRITE, ledger=READ}"));
    }

    @Test
    void aCollectionIsOneLockPerElement() {
        run(Orders.class, (context, orders) -> {
            assertThat(orders.all(List.of(1L, 2L))).isEqualTo("{order:1=WRITE, order:2=WRITE}");
            assertThat(orders.array(3, 4)).isEqualTo("{order:3=WRITE, order:4=WRITE}");
            assertThatExceptionOfType(DecLockedMisuseException.class)
                    .isThrownBy(() -> orders.all(List.of()))
                    .withMessageContaining("Orders.all(List)")
                    .withMessageContaining("#ids");
        });
    }

    @Test
    void keysSeeRootAndBeans() {
        run(Orders.class, (context, orders) -> {
            assertThat(orders.root("x")).isEqualTo("{root-x-Orders=WRITE}");
            assertThat(orders.bean()).isEqualTo("{region=WRITE}");
            assertThat(orders.placeholder(5)).isEqualTo("{eu:5=WRITE}");
        });
    }

    @Test
    void aNullOrEmptyKeyIsAnErrorThatNamesMethodAndExpression() {
        run(Orders.class, (context, orders) -> {
            assertThatExceptionOfType(DecLockedMisuseException.class)
                    .isThrownBy(() -> orders.name(null))
                    .withMessageContaining("Orders.name(String)")
                    .withMessageContaining("#customer")
                    .withMessageContaining("null");
            assertThatExceptionOfType(DecLockedMisuseException.class)
                    .isThrownBy(() -> orders.name(""))
                    .withMessageContaining("empty");
            assertThatExceptionOfType(DecLockedMisuseException.class)
                    .isThrownBy(() -> orders.property(null))
                    .withMessageContaining("Orders.property(String)")
                    .withMessageContaining("#text.length()");
        });
    }

    @Test
    void anObjectThatDoesNotSayWhatItIsIsNoKey() {
        run(Keys.class, (context, keys) -> {
            assertThatExceptionOfType(DecLockedMisuseException.class)
                    .isThrownBy(() -> keys.of(new Object[] {new Nameless()}))
                    .withMessageContaining("Keys.of")
                    .withMessageContaining(Nameless.class.getName())
                    .withMessageContaining("no toString() of its own");
            assertThatExceptionOfType(DecLockedMisuseException.class)
                    .isThrownBy(() -> keys.of(List.of(new int[][] {{1}})));
            keys.of(List.of(Nature.WILD, new Named("x"), 7L, "text"));
        });
    }

    @Test
    void aPathIsOneKeyAndNotACollectionOfItsElements() {
        run(
                Keys.class,
                (context, keys) -> assertThat(keys.of(Path.of("reports", "2026")))
                        .isEqualTo("{thing:" + Path.of("reports", "2026") + "=WRITE}"));
    }

    private static final class Nameless {}

    private record Named(String name) {}

    private enum Nature {
        WILD
    }

    static class Keys {
        @DecLocked(name = "thing", key = "#thing")
        public String of(Object thing) {
            return held();
        }
    }

    @Test
    void aMethodMayCallAnotherBeansMethodUnderTheSameLock() {
        run(Outer.class, (context, outer) -> assertThat(outer.both(9)).isTrue());
    }

    @Test
    void theTokenIsThatOfTheInnermostLock() {
        run(Outer.class, (context, outer) -> {
            outer.nested(1);
            assertThat(DecLockContext.isLocked()).isFalse();
        });
    }

    @Test
    void outsideOfALockedMethodThereIsNoToken() {
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(DecLockContext::currentToken)
                .withMessageContaining("No @DecLocked method");
    }

    @Test
    void tokensOfOneLockGrow() {
        run(Orders.class, (context, orders) -> {
            long first = orders.token(1);
            long second = orders.token(1);
            assertThat(second).isGreaterThan(first).isPositive();
        });
    }

    private static <T> void run(Class<T> type, Use<T> use) {
        Contexts.locks()
                .withBean(Orders.class)
                .withBean(Outer.class)
                .withBean(Keys.class)
                .withBean("region", String.class, () -> "region")
                .withPropertyValues("test.region=eu")
                .run(context -> use.use(context, context.getBean(type)));
    }

    private interface Use<T> {
        void use(ApplicationContext context, T bean) throws Exception;
    }

    static String held() {
        Map<String, LockMode> held = DecLockContext.currentHandle().grants().stream()
                .collect(Collectors.toMap(
                        LockHandle.Grant::name, LockHandle.Grant::mode, (a, b) -> a, java.util.TreeMap::new));
        assertThat(DecLockContext.currentHandle().isValid()).isTrue();
        return held.toString();
    }

    static class Orders {
        @DecLocked(name = "order", key = "#id")
        public String ship(long id) {
            return held();
        }

        @DecLocked(name = "order", key = "#id")
        public void fail(long id) {
            throw new IllegalArgumentException("no");
        }

        @DecLocked(
                name = "account",
                key = {"#from", "#to"})
        @DecLocked(name = "ledger", mode = LockMode.READ)
        public String transfer(String from, String to) {
            return held();
        }

        @DecLocked(name = "order", key = "#ids")
        public String all(List<Long> ids) {
            return held();
        }

        @DecLocked(name = "order", key = "#p0")
        public String array(int... ids) {
            return held();
        }

        @DecLocked("#root.methodName + '-' + #root.args[0] + '-' + #root.targetClass.simpleName")
        public String root(String text) {
            return held();
        }

        @DecLocked("@region")
        public String bean() {
            return held();
        }

        @DecLocked(name = "${test.region}", key = "#id", waitTime = "PT1S")
        public String placeholder(int id) {
            return held();
        }

        @DecLocked("#customer")
        public void name(String customer) {
            throw new AssertionError("ran");
        }

        @DecLocked("#text.length()")
        public void property(String text) {
            throw new AssertionError("ran");
        }

        @DecLocked(name = "order", key = "#id")
        public long token(long id) {
            return DecLockContext.currentToken();
        }
    }

    static class Outer {
        private final Orders orders;

        Outer(Orders orders) {
            this.orders = orders;
        }

        @DecLocked(name = "order", key = "#id", waitTime = "1s")
        public boolean both(long id) {
            long outside = DecLockContext.currentToken();
            return orders.token(id) == outside;
        }

        @DecLocked(name = "outer", key = "#id")
        public void nested(long id) {
            long outside = DecLockContext.currentToken();
            LockHandle handle = DecLockContext.currentHandle();
            orders.ship(id);
            assertThat(DecLockContext.currentToken()).isEqualTo(outside);
            assertThat(DecLockContext.currentHandle()).isSameAs(handle);
        }
    }
}
