// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.election;

import io.declock.spi.election.ElectionEngine;
import io.declock.spi.election.ElectionEngine.Answer;
import io.declock.spi.election.ElectionEngine.Held;
import io.declock.spi.election.ElectionException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the blocking attempts of an engine on two threads: one for the term, one for what is kept, so that a slow write does not delay a
 * renewal. Thread-safe.
 */
public final class EngineThreads implements Attempts, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EngineThreads.class);
    private static final int CLOSE_SECONDS = 2;

    private final ElectionEngine engine;
    private final String memoryNode;
    private final String candidate;
    private final Duration lease;
    private final ExecutorService terms;
    private final ExecutorService writes;

    /**
     * Makes one; nothing is attempted yet.
     *
     * @param engine closed together with this
     * @param memoryNode id of the memory node
     * @param candidate this candidate's address
     * @param lease lease of a term
     */
    public EngineThreads(ElectionEngine engine, String memoryNode, String candidate, Duration lease) {
        this.engine = engine;
        this.memoryNode = memoryNode;
        this.candidate = candidate;
        this.lease = lease;
        this.terms = thread("declock-term");
        this.writes = thread("declock-members");
    }

    private static ExecutorService thread(String name) {
        return new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** One blocking call of the engine. */
    private interface Call<T> {
        T make() throws ElectionException, InterruptedException;
    }

    private <T> void attempt(ExecutorService thread, Call<T> call, Ending<T> ending) {
        try {
            thread.execute(() -> {
                T answer;
                try {
                    answer = call.make();
                } catch (ElectionException e) {
                    ending.failed(String.valueOf(e.getMessage()));
                    return;
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    ending.failed("the attempt at " + engine.title() + " was interrupted");
                    return;
                } catch (RuntimeException | Error e) {
                    log.error("An attempt at {} threw", engine.title(), e);
                    ending.failed("the client of " + engine.title() + " threw " + e);
                    return;
                }
                ending.answered(answer);
            });
        } catch (RejectedExecutionException e) {
            ending.failed("the client of " + engine.title() + " is closed");
        }
    }

    @Override
    public void acquire(Ending<Answer> ending) {
        attempt(terms, () -> engine.acquire(memoryNode, candidate, lease), ending);
    }

    @Override
    public void look(Ending<Optional<Held>> ending) {
        attempt(terms, () -> engine.look(memoryNode), ending);
    }

    @Override
    public void renew(long term, Ending<Boolean> ending) {
        attempt(terms, () -> engine.renew(memoryNode, term, lease), ending);
    }

    @Override
    public void keep(long term, Map<String, Optional<byte[]>> changes, Ending<Boolean> ending) {
        attempt(writes, () -> engine.keep(memoryNode, term, changes), ending);
    }

    @Override
    public void resign(long term, Runnable ended) {
        attempt(
                terms,
                () -> {
                    engine.resign(memoryNode, term);
                    return true;
                },
                new Ending<>() {
                    @Override
                    public void answered(Boolean answer) {
                        ended.run();
                    }

                    @Override
                    public void failed(String why) {
                        log.warn("Term {} of memory node {} ends with its lease: {}", term, memoryNode, why);
                        ended.run();
                    }
                });
    }

    @Override
    public void watch(Runnable mayHaveEnded) {
        engine.watch(memoryNode, mayHaveEnded);
    }

    @Override
    public String title() {
        return engine.title();
    }

    /** Carries out what was begun, for at most 2 s, and closes the engine. */
    @Override
    public void close() {
        terms.shutdown();
        writes.shutdown();
        boolean interrupted = false;
        for (ExecutorService thread : new ExecutorService[] {terms, writes}) {
            try {
                if (!thread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                    thread.shutdownNow();
                }
            } catch (InterruptedException e) {
                thread.shutdownNow();
                interrupted = true;
            }
        }
        engine.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
