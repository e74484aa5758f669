// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.load;

/** Chooses types of transactions by their shares. Immutable. */
final class Mix {
    private final int[] percent;

    /**
     * Makes a mix.
     *
     * @param percent the share of each type
     * @throws IllegalArgumentException if they are not a hundred together
     */
    Mix(int... percent) {
        int sum = 0;
        for (int share : percent) {
            sum += share;
        }
        if (sum != 100) {
            throw new IllegalArgumentException("the shares are " + sum + " percent together");
        }
        this.percent = percent.clone();
    }

    int next(Chance chance) {
        long left = chance.below(100);
        int type = 0;
        while (left >= percent[type]) {
            left -= percent[type++];
        }
        return type;
    }
}
