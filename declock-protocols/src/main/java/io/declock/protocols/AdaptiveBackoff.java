// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols;

/** {@link Backoff#adaptive}: of one client. Not thread-safe. */
final class AdaptiveBackoff implements Backoff {
    private static final int SUCCESSES = 64;
    private static final long PERIOD_NANOS = 1_000_000;

    private final long shortest;
    private final int doublings;
    private long limit;
    private long inVain;
    private long successes;
    private long adaptedAt;

    AdaptiveBackoff(long shortest, int doublings) {
        this.shortest = shortest;
        this.doublings = doublings;
        this.limit = shortest;
    }

    @Override
    public Backoff ofClient() {
        return new AdaptiveBackoff(shortest, doublings);
    }

    @Override
    public long nanos(int retries, LockWorld world) {
        inVain++;
        return Math.min(limit, shortest << Math.min(retries - 1, doublings)) + world.below(shortest);
    }

    @Override
    public void succeeded(LockWorld world) {
        successes++;
        if (successes % SUCCESSES == 0 && world.now() - adaptedAt >= PERIOD_NANOS) {
            adapt();
            adaptedAt = world.now();
            inVain = 0;
            successes = 0;
        }
    }

    private void adapt() {
        double share = (double) inVain / (inVain + successes);
        if (share > 0.5) {
            limit = Math.min(shortest << doublings, limit * 2);
        } else if (share < 0.1) {
            limit = Math.max(shortest, limit / 2);
        }
    }
}
