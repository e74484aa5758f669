// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.ledger;

import io.declock.simulation.RecordedHistory;
import io.declock.simulation.RecordedHold;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Judges the records of the processes and the writes that the database accepted, without using the lock:
 *
 * <ul>
 *   <li>no writer's section overlaps another section of its lock, as long as their holders trusted their locks;
 *   <li>a writer's token is higher than all tokens before it, a reader's not lower than the last writer's;
 *   <li>the database never accepted a write with a lower token than one before, nor one whose amount had changed since it was read;
 *   <li>once faults have stopped, no caller waits longer than the bound.
 * </ul>
 */
public final class Referee {
    private final Path ledgers;
    private final String databaseUrl;
    private final Map<String, RecordedHold> lastWriters = new HashMap<>();
    private final Map<Integer, Booking> lastBookings = new HashMap<>();
    private long bookings;
    private long sections;
    private long lost;

    /** The totals so far. */
    public record Verdict(long sections, long lost, long bookings, long longestWaitNanos) {}

    private record Booking(long token, long became) {}

    /**
     * Makes one without records.
     *
     * @param ledgers directory with the processes' ledgers
     * @param databaseUrl JDBC URL of the accounts
     */
    public Referee(Path ledgers, String databaseUrl) {
        this.ledgers = ledgers;
        this.databaseUrl = databaseUrl;
    }

    /**
     * Judges the records, and discards the ledgers of loads that have ended, except the last writer of each lock. Must not be called while
     * a load runs.
     *
     * @param calmSince when the last fault ended, in nanoseconds of the monotonic clock; waits count from then on
     * @throws io.declock.simulation.Violation if a property did not hold
     */
    public Verdict judge(long calmSince) throws SQLException {
        List<SectionRecord> records = SectionRecord.readAll(ledgers);
        List<RecordedHold> holds = new ArrayList<>(lastWriters.values());
        records.forEach(section -> holds.add(section.hold()));
        RecordedHistory.check(holds);
        long longestWait = 0;
        for (SectionRecord section : records) {
            long entered = section.hold().beganAt();
            if (entered - calmSince > 0) {
                longestWait = Math.max(longestWait, entered - Math.max(section.asked(), calmSince));
            }
        }
        checkBookings();
        Verdict verdict = new Verdict(
                sections + records.size(),
                lost + records.stream().filter(SectionRecord::lost).count(),
                bookings,
                longestWait);
        forget();
        return verdict;
    }

    private void forget() {
        for (SectionRecord section : SectionRecord.takeLoads(ledgers)) {
            sections++;
            lost += section.lost() ? 1 : 0;
            RecordedHold hold = section.hold();
            if (hold.isExclusive()) {
                lastWriters.merge(hold.name(), hold, (one, other) -> one.token() > other.token() ? one : other);
            }
        }
    }

    private void checkBookings() throws SQLException {
        try (Connection connection = DriverManager.getConnection(databaseUrl);
                PreparedStatement query = connection.prepareStatement(
                        "select lock, token, owner, was, became from booking order by number offset ? rows")) {
            query.setLong(1, bookings);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    bookings++;
                    check(rows, lastBookings);
                }
            }
        }
    }

    private static void check(ResultSet rows, Map<Integer, Booking> last) throws SQLException {
        Booking booking = new Booking(rows.getLong("token"), rows.getLong("became"));
        Booking before = last.put(rows.getInt("lock"), booking);
        if (before == null) {
            return;
        }
        String what = rows.getString("owner") + " wrote lock " + rows.getInt("lock") + " with token "
                + Long.toHexString(booking.token()) + " from " + rows.getLong("was") + " to " + booking.became();
        if (booking.token() < before.token()) {
            throw new IllegalStateException(what + " after token " + Long.toHexString(before.token()));
        }
        if (rows.getLong("was") != before.became()) {
            throw new IllegalStateException(what + ", but the amount was " + before.became() + ": an update was lost");
        }
    }
}
