// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.time.Duration;

/**
 * Bounds of the local level: how far callers of this process may pass earlier remote waiters. Waiters that this process knows of are passed
 * for a part of what a turn of another process took, within the same bounds.
 *
 * @param policy fairness policy
 * @param localHandOverLimit most consecutive local grants to callers that a remote waiter may have preceded; 0 for strict arrival
 *     order, which READs the remote queue before each of them
 * @param localHandOverTime longest duration of such a run of grants
 * @param readerPhases how often readers may pass one waiting local writer under {@link FairnessPolicy#PHASE_FAIR}
 */
public record LocalSettings(
        FairnessPolicy policy, int localHandOverLimit, Duration localHandOverTime, int readerPhases) {
    /**
     * As many local grants as one queue index has fencing tokens for: a lock that only one process uses then never READs the queue because
     * of this limit.
     */
    private static final int TOKENS_OF_ONE_INDEX = 128;

    /** The defaults. */
    public static final LocalSettings DEFAULTS = builder().build();

    /**
     * Checks the values.
     *
     * @throws InvalidSettingException if a value cannot work
     */
    public LocalSettings {
        SettingChecks.atLeast("localHandOverLimit", localHandOverLimit, 0);
        SettingChecks.notNegative("localHandOverTime", localHandOverTime);
        SettingChecks.atLeast("readerPhases", readerPhases, 0);
    }

    /** {@return a builder that begins with the defaults} */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds LocalSettings; what is not set has its default. Not thread-safe. */
    public static final class Builder {
        private FairnessPolicy policy = FairnessPolicy.TASK_FAIR;
        private int localHandOverLimit = TOKENS_OF_ONE_INDEX;
        private Duration localHandOverTime = Duration.ofMillis(10);
        private int readerPhases = 4;

        private Builder() {}

        /**
         * {@return this builder, with another {@link LocalSettings#policy}}
         *
         * @param policy the value
         */
        public Builder policy(FairnessPolicy policy) {
            this.policy = policy;
            return this;
        }

        /**
         * {@return this builder, with another {@link LocalSettings#localHandOverLimit}}
         *
         * @param localHandOverLimit the value
         */
        public Builder localHandOverLimit(int localHandOverLimit) {
            this.localHandOverLimit = localHandOverLimit;
            return this;
        }

        /**
         * {@return this builder, with another {@link LocalSettings#localHandOverTime}}
         *
         * @param localHandOverTime the value
         */
        public Builder localHandOverTime(Duration localHandOverTime) {
            this.localHandOverTime = localHandOverTime;
            return this;
        }

        /**
         * {@return this builder, with another {@link LocalSettings#readerPhases}}
         *
         * @param readerPhases the value
         */
        public Builder readerPhases(int readerPhases) {
            this.readerPhases = readerPhases;
            return this;
        }

        /**
         * {@return the settings}
         *
         * @throws InvalidSettingException if a value cannot work
         */
        public LocalSettings build() {
            return new LocalSettings(policy, localHandOverLimit, localHandOverTime, readerPhases);
        }
    }
}
