// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

/** Checks lock names, and quotes them for messages and logs: applications may build names from untrusted input. */
public final class LockNames {
    private LockNames() {}

    /**
     * {@return a name in single quotes, with control, format and line-separating characters escaped}
     *
     * @param name a lock's name or another text
     */
    public static String quoted(String name) {
        int plain = 0;
        while (plain < name.length() && isPlain(name.charAt(plain))) {
            plain++;
        }
        if (plain == name.length()) {
            return "'" + name + "'";
        }
        StringBuilder escaped = new StringBuilder(name.length() + 16).append('\'');
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (isPlain(c)) {
                escaped.append(c);
            } else {
                escaped.append(String.format("\\u%04x", (int) c));
            }
        }
        return escaped.append('\'').toString();
    }

    private static boolean isPlain(char c) {
        int type = Character.getType(c);
        return type != Character.CONTROL
                && type != Character.FORMAT
                && type != Character.LINE_SEPARATOR
                && type != Character.PARAGRAPH_SEPARATOR;
    }

    /**
     * Checks a text that is to be sent to a memory node in UTF-8: a lone surrogate has no encoding, so two such names would become one, and
     * a zero character separates the namespace from the name.
     *
     * @param what description of the text, for the message
     * @param text the text
     * @throws IllegalArgumentException if the text has a lone surrogate or a zero character
     */
    public static void checkEncodable(String what, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean pair = Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1));
            if (c == 0 || Character.isSurrogate(c) && !pair) {
                throw new IllegalArgumentException(what + " must not contain "
                        + (c == 0 ? "the zero character" : "half of a surrogate pair, which UTF-8 cannot encode")
                        + " (at index " + i + "): " + quoted(text));
            }
            i += pair ? 1 : 0;
        }
    }
}
