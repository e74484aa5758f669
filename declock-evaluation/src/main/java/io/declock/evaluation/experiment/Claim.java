// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

/** What kind of statement a published value makes, which decides when it is reached. */
public enum Claim {
    /** Something is so many times as large as something else: the order is the paper's if it is larger at all. */
    TIMES {
        @Override
        Verdict verdict(double published, double here) {
            if (here <= 1) {
                return Verdict.DIFFERS;
            }
            return improvement(published, here);
        }
    },
    /** Something is larger than something else, by whatever factor: the paper prints none. */
    LARGER {
        @Override
        Verdict verdict(double published, double here) {
            return here > published ? Verdict.REACHED : Verdict.DIFFERS;
        }
    },
    /** Something is smaller by so many percent: the order is the paper's if it is smaller at all. */
    PERCENT_LESS {
        @Override
        Verdict verdict(double published, double here) {
            if (here <= 0) {
                return Verdict.DIFFERS;
            }
            return improvement(published, here);
        }
    },
    /** Two things are equally large: their ratio is one. */
    EQUAL {
        @Override
        Verdict verdict(double published, double here) {
            double ratio = here / published;
            return ratio >= 1 - EQUAL_WITHIN && ratio <= 1 + EQUAL_WITHIN ? Verdict.REACHED : Verdict.DIFFERS;
        }
    },
    /** Something is not larger. */
    AT_MOST {
        @Override
        Verdict verdict(double published, double here) {
            return here <= published ? Verdict.REACHED : Verdict.DIFFERS;
        }
    },
    /** Something has this size. */
    SIZE {
        @Override
        Verdict verdict(double published, double here) {
            double ratio = here / published;
            if (ratio >= NEAR && ratio <= 1 / NEAR) {
                return Verdict.REACHED;
            }
            return ratio >= 1.0 / 2 && ratio <= 2 ? Verdict.ORDER : Verdict.DIFFERS;
        }
    };

    /** A value is reached at this share of it. */
    static final double NEAR = 0.8;

    /** Two values are equal if their ratio is not further from one. */
    static final double EQUAL_WITHIN = 0.1;

    private static Verdict improvement(double published, double here) {
        if (here > published / NEAR) {
            return Verdict.MORE;
        }
        return here >= NEAR * published ? Verdict.REACHED : Verdict.ORDER;
    }

    /** Judges a value. */
    abstract Verdict verdict(double published, double here);
}
