// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

import java.util.List;

/**
 * Measured values side by side, for which a paper prints nothing.
 *
 * @param title what it shows
 * @param columns heading of each column of values
 * @param rows its rows
 */
public record Table(String title, List<String> columns, List<Row> rows) {
    /**
     * Copies columns and rows.
     *
     * @throws IllegalArgumentException if a row has another number of values than there are columns
     */
    public Table {
        columns = List.copyOf(columns);
        rows = List.copyOf(rows);
        for (Row row : rows) {
            if (row.values().size() != columns.size()) {
                throw new IllegalArgumentException(
                        row.name() + " has " + row.values().size() + " values for " + columns.size() + " columns");
            }
        }
    }

    /**
     * A row.
     *
     * @param name what it is about
     * @param values its values
     */
    public record Row(String name, List<Double> values) {
        /** Copies the values. */
        public Row {
            values = List.copyOf(values);
        }
    }
}
