// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.LockView;
import io.declock.internal.local.LocalLock;
import io.declock.internal.session.Inquiries;
import io.declock.internal.time.Clock;
import io.declock.spi.LockAnswer;
import io.declock.spi.LockInquiry;
import io.declock.spi.LockUse;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers what operators of the memory nodes ask about this process's locks, and ends its holds if they say so. Thread-safe. */
final class LockInquiries implements Inquiries {
    private static final Logger log = LoggerFactory.getLogger(LockInquiries.class);

    /** Longest owner in an answer, in characters. */
    private static final int LONGEST_OWNER = 200;
    /** The waits keep their order, after the holds. */
    private static final Comparator<LockView> YOUNGEST_FIRST =
            Comparator.comparingLong(LockInquiries::token).reversed();

    private final LockTable table;
    private final String prefix;
    private final Clock clock;

    LockInquiries(LockTable table, String namespace, Clock clock) {
        this.table = table;
        this.prefix = namespace + '\0';
        this.clock = clock;
    }

    @Override
    public LockAnswer answer(LockInquiry inquiry) {
        List<LockView> views = new ArrayList<>();
        LocalLock lock = inquiry.fullName().startsWith(prefix)
                ? table.find(inquiry.fullName().substring(prefix.length()))
                : null;
        if (lock != null) {
            LockViews.collect(lock, "", clock.nanoTime(), views);
            views.sort(YOUNGEST_FIRST);
            if (inquiry.kind() == LockInquiry.Kind.END_HOLDS) {
                views.removeIf(view -> !isHold(view) || token(view) > inquiry.upTo());
                end(lock, inquiry);
            }
        }
        int told = Math.min(views.size(), LockAnswer.MOST_USES);
        return new LockAnswer(
                inquiry.number(),
                views.subList(0, told).stream().map(LockInquiries::use).toList(),
                views.size() - told);
    }

    private static void end(LocalLock lock, LockInquiry inquiry) {
        log.warn("Holds of {} end before their time: {}", lock.title(), inquiry.why());
        lock.endHolds(inquiry.upTo(), inquiry.why());
    }

    private static boolean isHold(LockView view) {
        return view.state() == LockView.State.HELD || view.state() == LockView.State.RESERVED;
    }

    private static long token(LockView view) {
        Long token = view.fencingToken();
        return token == null ? 0 : token;
    }

    private static String shortened(String owner) {
        return owner.length() <= LONGEST_OWNER ? owner : owner.substring(0, LONGEST_OWNER) + "…";
    }

    private static LockUse use(LockView view) {
        return new LockUse(
                view.state(),
                view.mode(),
                shortened(view.owner()),
                token(view),
                view.age().toNanos());
    }
}
