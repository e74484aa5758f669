// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;

/**
 * Completes the stages of asynchronous acquisitions, and so runs what depends on them: by an executor, or at once on the thread that has just asked. Neither uses up the stack of a thread on which one
 * completion leads to the next. Thread-safe.
 */
final class Completions implements Executor {
    /** A stack of so many frames is deep: one action may have asked inside another again and again. An application's own calls are some hundred. */
    private static final int DEEP = 1_000;

    /** So often a thread is served at once before its stack is looked at again. */
    private static final int UNSEEN = 64;

    private static final StackWalker STACK = StackWalker.getInstance();

    private final Executor executor;
    private final Executor elsewhere;
    private final ThreadLocal<Present> present = ThreadLocal.withInitial(Present::new);

    /** What concerns one thread. */
    private static final class Present {
        private final Queue<Runnable> waiting = new ArrayDeque<>(2);
        private boolean handsOver;
        private int unseen;
    }

    /**
     * Makes it.
     *
     * @param executor runs what is not run at once; it may do so before it returns
     * @param elsewhere runs something on another thread than the present one, and not at once
     */
    Completions(Executor executor, Executor elsewhere) {
        this.executor = executor;
        this.elsewhere = elsewhere;
    }

    /** Has the executor complete something. What comes meanwhile on the same thread waits until that one is done, if the executor uses the thread. */
    @Override
    public void execute(Runnable completion) {
        Present own = present.get();
        own.waiting.add(completion);
        if (own.handsOver) {
            return;
        }
        own.handsOver = true;
        try {
            for (Runnable next = own.waiting.poll(); next != null; next = own.waiting.poll()) {
                executor.execute(next);
            }
        } finally {
            own.handsOver = false;
        }
    }

    /**
     * Completes what was decided while the calling thread asked for it, before the thread gets the stage. An action that is added to such a stage runs inside the caller of this; if that action asks again, and so
     * on, the stack grows. So a thread whose stack is deep gets a stage that another thread completes, after a moment in which the action is added.
     */
    void executeAtOnce(Runnable completion) {
        Present own = present.get();
        if (own.unseen == 0 && !isDeep()) {
            own.unseen = UNSEEN;
        }
        if (own.unseen > 0) {
            own.unseen--;
            completion.run();
        } else {
            elsewhere.execute(() -> execute(completion));
        }
    }

    private static boolean isDeep() {
        return STACK.walk(frames -> frames.limit(DEEP).count()) == DEEP;
    }
}
