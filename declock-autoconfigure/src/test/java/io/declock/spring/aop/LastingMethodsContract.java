// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.ComputeNodeMonitor;
import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.spring.Contexts;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationContext;

/**
 * What methods whose work outlives their call promise to a caller that cancels it, whatever type they return.
 *
 * @param <B> the bean whose methods lock {@code work} and an id
 */
abstract class LastingMethodsContract<B> {
    /** The names of the threads that ran the methods. */
    static final List<String> CALLS = Collections.synchronizedList(new ArrayList<>());

    private final Class<B> bean;
    private final Class<?> nesting;

    LastingMethodsContract(Class<B> bean, Class<?> nesting) {
        this.bean = bean;
        this.nesting = nesting;
        CALLS.clear();
    }

    /** Calls a method that locks {@code work:1} and ends at once. Returns what cancels it. */
    abstract Runnable begin(B bean);

    @Test
    void cancellingWhileWaitingWithdrawsTheRequest() {
        run((context, works) -> {
            LockHandle other = heldByOther(context);
            Runnable cancelling = begin(works);
            ComputeNodeMonitor monitor = context.getBean(ComputeNodeMonitor.class);
            await().until(() -> monitor.waitingNow() == 1);
            cancelling.run();
            await().until(() -> monitor.waitingNow() == 0);
            other.close();
            heldByOther(context).close();
            assertThat(CALLS).isEmpty();
        });
    }

    @Test
    void cancellationsThatRaceWithGrantsLeaveNothingHeld() {
        run((context, works) -> {
            for (int i = 0; i < 300; i++) {
                LockHandle other = heldByOther(context);
                // The other thread begins later, so each of the two is in turn the one that is likely to come first.
                Runnable[] racing = {other::close, begin(works)};
                CompletableFuture<Void> later = CompletableFuture.runAsync(racing[i % 2]);
                racing[1 - i % 2].run();
                later.join();
            }
            awaitHeld(context, 0);
        });
    }

    static long held(ApplicationContext context) {
        return context.getBean(ComputeNodeMonitor.class).heldNow();
    }

    static void awaitHeld(ApplicationContext context, int holds) {
        await().atMost(10, TimeUnit.SECONDS).until(() -> held(context) == holds);
    }

    static LockHandle heldByOther(ApplicationContext context) throws InterruptedException {
        DistributedReadWriteLock lock = context.getBean(DistributedReadWriteLock.class);
        return lock.acquire(LockRequest.write("work:1"), LockOwner.named("other"));
    }

    final void run(Use<B> use) {
        Contexts.locks().withBean(bean).withBean(nesting).run(context -> use.use(context, context.getBean(bean)));
    }

    interface Use<B> {
        void use(ApplicationContext context, B works) throws Exception;
    }
}
