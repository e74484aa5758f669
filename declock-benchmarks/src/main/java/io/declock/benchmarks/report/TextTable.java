// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A table for people: the first column to the left, numbers to the right. Not thread-safe. */
public final class TextTable {
    private final List<List<String>> rows = new ArrayList<>();

    /** Makes a table with a heading for each column. */
    public TextTable(String... headings) {
        rows.add(List.of(headings));
    }

    /** Adds a row. */
    public void add(String... cells) {
        rows.add(List.of(cells));
    }

    /** Returns a number with a number of digits that fits its size. */
    public static String number(double value) {
        double size = Math.abs(value);
        if (size >= 100) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        if (size > 0 && size < 0.01) {
            return String.format(Locale.ROOT, "%.2g", value);
        }
        return String.format(Locale.ROOT, size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3f", value);
    }

    @Override
    public String toString() {
        int columns = rows.get(0).size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < row.size(); i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (int r = 0; r < rows.size(); r++) {
            line(text, rows.get(r), widths);
            if (r == 0) {
                for (int width : widths) {
                    text.append("-".repeat(width)).append("  ");
                }
                text.append('\n');
            }
        }
        return text.toString();
    }

    private static void line(StringBuilder text, List<String> row, int[] widths) {
        for (int i = 0; i < row.size(); i++) {
            String gap = " ".repeat(widths[i] - row.get(i).length());
            text.append(i == 0 ? row.get(i) + gap : gap + row.get(i)).append("  ");
        }
        text.append('\n');
    }
}
