// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.live;

import io.declock.ComputeNodeMonitor;
import io.declock.sample.live.InstanceSnapshot.Lock;
import io.declock.sample.live.InstanceSnapshot.MemoryNodeState;
import io.declock.sample.live.InstanceSnapshot.Point;
import io.declock.sample.shop.InstanceName;
import io.declock.sample.shop.ShopProperties;
import io.declock.sample.shop.Turnover;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.dao.DataAccessException;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Publishes a snapshot of this instance twice a second. Used by the scheduler's thread only. */
@Component
class Sampler implements DisposableBean {
    private static final Logger log = LoggerFactory.getLogger(Sampler.class);
    private static final int HISTORY = 120;
    private static final int MOST_LOCKS = 200;

    private final ComputeNodeMonitor monitor;
    private final WaitTimes waits;
    private final Turnover turnover;
    private final InstanceName name;
    private final ShopProperties properties;
    private final InstanceRegistry registry;
    private final Deque<Point> history = new ArrayDeque<>();
    private boolean begun;
    private Totals before = Totals.ZERO;
    private long beforeNanos = System.nanoTime();

    Sampler(
            ComputeNodeMonitor monitor,
            WaitTimes waits,
            Turnover turnover,
            InstanceName name,
            ShopProperties properties,
            InstanceRegistry registry) {
        this.monitor = monitor;
        this.waits = waits;
        this.turnover = turnover;
        this.name = name;
        this.properties = properties;
        this.registry = registry;
    }

    @Scheduled(initialDelay = 500, fixedRate = 500)
    void sample() {
        Totals now = Totals.of(monitor, turnover);
        long nanos = System.nanoTime();
        if (begun) {
            double seconds = Math.max(1, nanos - beforeNanos) / (double) TimeUnit.SECONDS.toNanos(1);
            history.addLast(Point.of(now.minus(before), seconds, waits.turn()));
            if (history.size() > HISTORY) {
                history.removeFirst();
            }
            publish();
        } else {
            // The wait for the turn to make the tables is not a wait of an order.
            waits.restart();
            begun = !name.url().isEmpty();
        }
        before = now;
        beforeNanos = nanos;
    }

    private void publish() {
        List<Lock> locks = monitor.locks(MOST_LOCKS).stream().map(Lock::of).toList();
        List<MemoryNodeState> memoryNodes = monitor.memoryNodes().stream()
                .map(view -> new MemoryNodeState(view.id(), view.state().name()))
                .toList();
        try {
            registry.publish(new InstanceSnapshot(
                    name.get(),
                    name.url(),
                    properties.isLocking(),
                    System.currentTimeMillis(),
                    memoryNodes,
                    monitor.heldNow(),
                    monitor.waitingNow(),
                    locks,
                    List.copyOf(history)));
        } catch (DataAccessException e) {
            log.debug("The pages of the other instances will miss one point of this instance", e);
        }
    }

    @Override
    public void destroy() {
        try {
            registry.remove(name.get());
        } catch (DataAccessException e) {
            log.debug("The pages of the other instances will show this instance for some more seconds", e);
        }
    }
}
