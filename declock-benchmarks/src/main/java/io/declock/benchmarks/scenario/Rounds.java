// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.scenario;

import io.declock.benchmarks.report.Goal;
import io.declock.benchmarks.report.TextTable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Several rounds of a scenario. Each goal is judged by the median of the rounds' values; each ratio compares runs of the same round. Not
 * thread-safe.
 */
final class Rounds {
    private final List<Outcome> outcomes = new ArrayList<>();

    void add(Outcome outcome) {
        outcomes.add(outcome);
    }

    boolean isSound() {
        return outcomes.stream().allMatch(Outcome::isSound);
    }

    /**
     * Returns what is run in each round in the order of one of them. Each begins with another one, because the machine is not equally fast all the time.
     *
     * @param round number of the round, from one; the first has the order that is given
     */
    static <T> List<T> inTurn(List<T> all, int round, int rounds) {
        List<T> order = new ArrayList<>(all);
        Collections.rotate(order, -(round - 1) * Math.max(1, all.size() / rounds));
        return order;
    }

    /** Returns the goals with the medians. */
    List<Goal> goals() {
        List<Goal> medians = new ArrayList<>();
        List<Goal> first = outcomes.get(0).goals();
        for (int i = 0; i < first.size(); i++) {
            Goal goal = first.get(i);
            medians.add(new Goal(goal.what(), median(measured(i)), goal.bound(), goal.atLeast()));
        }
        return medians;
    }

    /** Returns a goal's values of all rounds so far. It has the same index in every round, whichever lock was the fastest in it. */
    private List<Double> measured(int goal) {
        return outcomes.stream()
                .map(Outcome::goals)
                .filter(goals -> goals.size() > goal)
                .map(goals -> goals.get(goal).measured())
                .filter(Objects::nonNull)
                .toList();
    }

    /** Returns the median: the middle value, or the mean of the two middle ones; NaN if there are no values. */
    static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int size = sorted.size();
        return size == 0 ? Double.NaN : (sorted.get((size - 1) / 2) + sorted.get(size / 2)) / 2;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("\nmedians of " + outcomes.size() + " rounds\n");
        List<Goal> goals = goals();
        for (int i = 0; i < goals.size(); i++) {
            String each = measured(i).stream().map(TextTable::number).collect(Collectors.joining(", "));
            text.append('\n').append(goals.get(i)).append(" [").append(each).append(']');
        }
        return text.append('\n').toString();
    }

    /** Returns the JSON form: the only outcome, or several with the medians. */
    Map<String, Object> toMap() {
        if (outcomes.size() == 1) {
            return outcomes.get(0).toMap();
        }
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("rounds", outcomes.stream().map(Outcome::toMap).toList());
        map.put("goals", goals().stream().map(Outcome::toMap).toList());
        map.put("sound", isSound());
        return map;
    }
}
