// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.monitor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.internal.time.Clock;
import io.declock.internal.time.TimerService;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.helpers.FormattingTuple;
import org.slf4j.helpers.MessageFormatter;

/**
 * A log for messages that other processes can cause at any rate. Of each kind of message the first few in an interval are written. Of the
 * rest only the last one is written, at the end of the interval, with the number of the others. Every suppressed message is counted.
 *
 * <p>The format of a message is its kind, so it must be a constant. Thread-safe.
 */
public final class ThrottledLog {
    /** How many messages of a kind are written immediately in an interval. */
    public static final int BURST = 5;

    /** A suitable interval for a log that people read. */
    public static final Duration INTERVAL = Duration.ofSeconds(10);

    private final Logger log;
    private final Clock clock;
    private final TimerService timers;
    private final long intervalNanos;
    private final String suffix;
    private final Map<String, Kind> kinds = new ConcurrentHashMap<>();

    /** The written and suppressed messages of one kind in the present interval. Guarded by its lock. */
    private static final class Kind {
        final ReentrantLock lock = new ReentrantLock();

        @GuardedBy("lock")
        long since;

        @GuardedBy("lock")
        int written;

        @GuardedBy("lock")
        int suppressed;

        @GuardedBy("lock")
        @Nullable
        Object @Nullable [] last;
    }

    /**
     * Makes a log that has written nothing.
     *
     * @param timers timer that writes the suppressed messages
     * @param interval how long a suppressed message may stay unreported
     */
    public ThrottledLog(Logger log, Clock clock, TimerService timers, Duration interval) {
        this.log = log;
        this.clock = clock;
        this.timers = timers;
        this.intervalNanos = interval.toNanos();
        this.suffix = " in the last "
                + (interval.toMillis() < 1000 ? interval.toMillis() + " ms" : interval.toSeconds() + " s");
    }

    /**
     * Logs a warning.
     *
     * @param format as of {@link Logger#warn(String, Object...)}
     * @param arguments arguments of the message; those of the last suppressed message are kept until the interval is over. The last
     *     argument may be an exception.
     */
    public void warn(String format, @Nullable Object... arguments) {
        log(Level.WARN, format, arguments);
    }

    /** Logs an error, otherwise like {@link #warn}. */
    public void error(String format, @Nullable Object... arguments) {
        log(Level.ERROR, format, arguments);
    }

    private void log(Level level, String format, @Nullable Object[] arguments) {
        Kind kind = kinds.computeIfAbsent(format, key -> new Kind());
        boolean writes;
        boolean first = false;
        long left = 0;
        kind.lock.lock();
        try {
            long now = clock.nanoTime();
            if (kind.suppressed == 0 && (kind.written == 0 || now - kind.since >= intervalNanos)) {
                kind.since = now;
                kind.written = 0;
            }
            writes = kind.written < BURST;
            if (writes) {
                kind.written++;
            } else {
                first = kind.suppressed++ == 0;
                kind.last = arguments;
                left = Math.max(1, intervalNanos - (now - kind.since));
            }
        } finally {
            kind.lock.unlock();
        }
        if (writes) {
            write(level, format, arguments, 0);
        } else if (first) {
            timers.schedule(left, () -> summarize(level, format, kind));
        }
    }

    /** Reports the suppressed messages at the end of the interval; the report counts as the first message of a new interval. */
    private void summarize(Level level, String format, Kind kind) {
        @Nullable Object[] last;
        int more;
        kind.lock.lock();
        try {
            last = kind.last == null ? new Object[0] : kind.last;
            more = kind.suppressed - 1;
            kind.last = null;
            kind.suppressed = 0;
            kind.written = 1;
            kind.since = clock.nanoTime();
        } finally {
            kind.lock.unlock();
        }
        write(level, format, last, more);
    }

    private void write(Level level, String format, @Nullable Object[] arguments, int more) {
        FormattingTuple message = MessageFormatter.arrayFormat(format, arguments);
        String text = message.getMessage() + (more > 0 ? " … and " + more + " more like it" + suffix : "");
        log.atLevel(level).setCause(message.getThrowable()).log(text);
    }
}
