// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.LockMode;
import io.declock.LockOwner;
import io.declock.LockView;
import io.declock.internal.local.Hold;
import io.declock.internal.local.LocalLock;
import io.declock.internal.local.LocalWaiter;
import java.time.Duration;
import java.util.List;

/** Describes the holds and waits of one lock, or that it is kept. */
final class LockViews implements LocalLock.Visitor {
    private final String name;
    private final String memoryNode;
    private final long now;
    private final List<LockView> views;

    private LockViews(String name, String memoryNode, long now, List<LockView> views) {
        this.name = name;
        this.memoryNode = memoryNode;
        this.now = now;
        this.views = views;
    }

    /** Adds the holds of a lock and then its waits to the views. */
    static void collect(LocalLock lock, String memoryNode, long now, List<LockView> views) {
        lock.visit(new LockViews(lock.name(), memoryNode, now, views));
    }

    @Override
    public void hold(Hold hold, boolean exclusive) {
        views.add(new LockView(
                name,
                memoryNode,
                hold.isDisowned() ? LockView.State.RESERVED : LockView.State.HELD,
                exclusive ? LockMode.WRITE : LockMode.READ,
                ownerName(hold.owner()),
                hold.token(),
                Duration.ofNanos(now - hold.grantedAt()),
                null));
    }

    @Override
    public void waiter(LocalWaiter waiter, long since, int position) {
        views.add(new LockView(
                name,
                memoryNode,
                LockView.State.WAITING,
                waiter.mode(),
                ownerName(waiter.owner()),
                null,
                Duration.ofNanos(now - since),
                position));
    }

    @Override
    public void kept(boolean exclusive, long since) {
        views.add(new LockView(
                name,
                memoryNode,
                LockView.State.KEPT,
                exclusive ? LockMode.WRITE : LockMode.READ,
                "",
                null,
                Duration.ofNanos(now - since),
                null));
    }

    private static String ownerName(Object owner) {
        if (owner instanceof Thread thread) {
            return thread.getName().isEmpty() ? thread.toString() : thread.getName();
        }
        return owner instanceof LockOwner named
                ? named.description()
                : owner.getClass().getSimpleName();
    }
}
