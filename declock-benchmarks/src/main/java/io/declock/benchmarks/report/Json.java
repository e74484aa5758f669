// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.report;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes maps, lists, numbers, texts and booleans as JSON. */
public final class Json {
    private Json() {}

    /** Returns the value as JSON text. */
    public static String write(@Nullable Object value) {
        StringBuilder out = new StringBuilder();
        append(out, value, 0);
        return out.append('\n').toString();
    }

    private static void append(StringBuilder out, @Nullable Object value, int depth) {
        if (value instanceof Map<?, ?> map) {
            appendMap(out, map, depth);
        } else if (value instanceof List<?> list) {
            String separator = "[";
            for (Object element : list) {
                out.append(separator);
                append(out, element, depth + 1);
                separator = ", ";
            }
            out.append(list.isEmpty() ? "[]" : "]");
        } else if (value instanceof Double number) {
            out.append(number.isNaN() || number.isInfinite() ? "null" : String.format(Locale.ROOT, "%.4f", number));
        } else if (value == null || value instanceof Number || value instanceof Boolean) {
            out.append(value);
        } else {
            appendText(out, value.toString());
        }
    }

    private static void appendMap(StringBuilder out, Map<?, ?> map, int depth) {
        String separator = "{\n";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            out.append(separator).append("  ".repeat(depth + 1));
            appendText(out, String.valueOf(entry.getKey()));
            out.append(": ");
            append(out, entry.getValue(), depth + 1);
            separator = ",\n";
        }
        out.append(map.isEmpty() ? "{}" : "\n" + "  ".repeat(depth) + "}");
    }

    private static void appendText(StringBuilder out, String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                default -> {
                    if (c < ' ') {
                        out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
