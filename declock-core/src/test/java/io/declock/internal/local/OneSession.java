// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.LocalSettings;
import io.declock.LockMode;
import io.declock.internal.time.Clock;
import io.declock.spi.Resolution;

/** What a lock has around it whose record is the first one of the one session. */
public class OneSession implements LocalLock.Host {
    /** The lock's epoch. */
    public static final long EPOCH = 5;

    private final SteppedSession session;

    /** Makes it. */
    public OneSession(SteppedSession session) {
        this.session = session;
    }

    @Override
    public void bind(LocalLock asking) {
        asking.bound(session, new Resolution(0, EPOCH, false));
    }

    @Override
    public void forgotten(LocalLock forgotten) {}

    @Override
    public LocalSettings localSettings() {
        return LocalSettings.DEFAULTS;
    }

    @Override
    public Clock clock() {
        return session.clock();
    }

    @Override
    public void holdLost(String name, LockMode mode) {}

    @Override
    public void tellOfLoss(Runnable listener) {
        listener.run();
    }

    @Override
    public boolean isClosed() {
        return false;
    }

    @Override
    public void held(int change) {}
}
