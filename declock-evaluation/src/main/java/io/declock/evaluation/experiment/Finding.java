// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

import org.jspecify.annotations.Nullable;

/**
 * A published value beside the one that the trials show.
 *
 * @param what what is compared
 * @param published the published value
 * @param here the value of the trials
 * @param reason why it is different where it is, if that is known
 */
public record Finding(
        String what,
        Published published,
        double here,
        @Nullable String reason) {
    /** Makes one without a reason. */
    public Finding(String what, Published published, double here) {
        this(what, published, here, null);
    }

    /** Returns it with a reason, which the report shows unless the value is reached. */
    public Finding because(String why) {
        return new Finding(what, published, here, why);
    }

    /** Returns the value of the trials as a share of the published one. */
    public double ratio() {
        return here / published.value();
    }

    /** Returns how the value stands beside the published one. A value that is no number differs. */
    public Verdict verdict() {
        return Double.isFinite(here) ? published.claim().verdict(published.value(), here) : Verdict.DIFFERS;
    }
}
