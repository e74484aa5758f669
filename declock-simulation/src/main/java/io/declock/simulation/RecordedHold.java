// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

/**
 * One hold that a real process had and recorded. Times come from one monotonic clock that all processes share, taken after the grant was
 * known and before the release was begun, so that two holds that overlap in the record really overlapped.
 *
 * @param name name of the lock
 * @param isExclusive whether a writer held it
 * @param token fencing token
 * @param owner the holder, for people
 * @param beganAt begin in nanoseconds
 * @param endedAt end in nanoseconds
 */
public record RecordedHold(String name, boolean isExclusive, long token, String owner, long beganAt, long endedAt)
        implements CheckedHold {
    private static final int FIELDS = 6;

    /** Checks the values. */
    public RecordedHold {
        if (endedAt < beganAt) {
            throw new IllegalArgumentException("ends before it begins: " + name + " of " + owner);
        }
        if (name.contains(" ") || owner.contains(" ")) {
            throw new IllegalArgumentException("names with spaces cannot be recorded: '" + name + "', '" + owner + "'");
        }
    }

    /** Returns true: every recorded hold counts. */
    @Override
    public boolean counts() {
        return true;
    }

    /** Returns it as one line of text. */
    public String toLine() {
        return name + " " + (isExclusive ? "write" : "read") + " " + token + " " + owner + " " + beganAt + " "
                + endedAt;
    }

    /**
     * Reads a line that {@link #toLine} wrote.
     *
     * @throws IllegalArgumentException if the line has another format
     */
    public static RecordedHold ofLine(String line) {
        String[] words = line.split(" ", -1);
        if (words.length != FIELDS) {
            throw new IllegalArgumentException("not a recorded hold: " + line);
        }
        return new RecordedHold(
                words[0],
                words[1].equals("write"),
                Long.parseLong(words[2]),
                words[3],
                Long.parseLong(words[4]),
                Long.parseLong(words[5]));
    }
}
