// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

/** Chooses lock names, uniformly or by Zipf's law. */
final class NameChooser {
    private final SimulatedWorld world;
    private final int count;
    private final double[] cumulative;

    NameChooser(SimulatedWorld world, int count, double zipf) {
        this.world = world;
        this.count = count;
        this.cumulative = new double[zipf > 0 ? count : 0];
        double sum = 0;
        for (int i = 0; i < cumulative.length; i++) {
            sum += 1 / Math.pow(i + 1, zipf);
            cumulative[i] = sum;
        }
    }

    static String name(int number) {
        return "lock" + number;
    }

    int choose() {
        if (cumulative.length == 0) {
            return (int) world.below(count);
        }
        double point = world.below(1L << 52) / (double) (1L << 52) * cumulative[count - 1];
        int low = 0;
        int high = count - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (cumulative[middle] > point) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    boolean hasAfter(String name) {
        return number(name) < count - 1;
    }

    /** Chooses a name that comes later in the order in which several names are acquired. */
    int chooseAfter(String name) {
        int number = number(name);
        return number + 1 + (int) world.below(count - number - 1L);
    }

    private static int number(String name) {
        return Integer.parseInt(name.substring(4));
    }
}
