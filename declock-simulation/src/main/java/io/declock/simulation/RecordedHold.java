// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

/**
 * One hold that a real process had and wrote down. Times are those of one monotonic clock that all processes share: taken after
 * the grant was known and before the release was begun, so that two holds that overlap in the record overlapped in fact.
 *
 * @param name of the lock
 * @param isExclusive whether it was a writer's
 * @param token fencing token
 * @param owner who had it, for people
 * @param beganAt in nanoseconds
 * @param endedAt in nanoseconds
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

    /** Everything that was written down counts. */
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
     * Reads what {@link #toLine} wrote.
     *
     * @throws IllegalArgumentException if it is something else
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
