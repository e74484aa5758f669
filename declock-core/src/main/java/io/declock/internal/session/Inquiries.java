// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.spi.LockAnswer;
import io.declock.spi.LockInquiry;
import java.util.List;

/** Answers what an operator of a memory node asks about this process's locks. Thread-safe; must not block. */
public interface Inquiries {
    /** Tells of no holds. */
    Inquiries NONE = inquiry -> new LockAnswer(inquiry.number(), List.of(), 0);

    /** Returns the holds and waits of a lock, and ends the holds if that is asked for. */
    LockAnswer answer(LockInquiry inquiry);
}
