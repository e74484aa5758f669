// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

import java.util.List;

/**
 * A line of a figure.
 *
 * @param name its name in the legend
 * @param points its points from left to right
 */
public record Series(String name, List<Point> points) {
    /** Copies the points. */
    public Series {
        points = List.copyOf(points);
    }

    /**
     * A point.
     *
     * @param x where it is on the horizontal axis
     * @param y its value
     */
    public record Point(double x, double y) {}
}
