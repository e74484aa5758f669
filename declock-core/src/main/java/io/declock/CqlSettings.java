// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.time.Duration;

/**
 * The protocol's intervals and bounds.
 *
 * @param selfCheckInterval how long a waiter waits before it first checks on its own whether it was granted; doubles up to 16 times
 *     that, with jitter
 * @param prefetchInterval how often, at most, a holder with local waiters READs the remote queue
 * @param refetchLimit how often unfilled entries are read again; after that the waiter learns of its grant by its self-check
 * @param refetchInterval pause before a repeated refetch
 * @param suspectAfter how long a waiter waits before it asks the users of the lock whether any of them holds it
 * @param resetPollInterval how often a waiter checks whether a reset is over, doubling up to 16 times that
 * @param resetResendInterval how often an unanswered reset signal is sent again
 * @param preArmedHandOver whether a writer that knows its successor grants before its release FAA (rule F of docs/protocol.md)
 * @param releaseRead which release FAAs are chained with a READ of the queue
 */
public record CqlSettings(
        Duration selfCheckInterval,
        Duration prefetchInterval,
        int refetchLimit,
        Duration refetchInterval,
        Duration suspectAfter,
        Duration resetPollInterval,
        Duration resetResendInterval,
        boolean preArmedHandOver,
        ReleaseRead releaseRead) {
    /** The defaults. */
    public static final CqlSettings DEFAULTS = builder().build();

    /**
     * Checks the values.
     *
     * @throws InvalidSettingException if a value cannot work
     */
    public CqlSettings {
        SettingChecks.positive("selfCheckInterval", selfCheckInterval);
        SettingChecks.notNegative("prefetchInterval", prefetchInterval);
        SettingChecks.atLeast("refetchLimit", refetchLimit, 0);
        SettingChecks.positive("refetchInterval", refetchInterval);
        SettingChecks.positive("suspectAfter", suspectAfter);
        SettingChecks.positive("resetPollInterval", resetPollInterval);
        SettingChecks.positive("resetResendInterval", resetResendInterval);
    }

    /** {@return a builder that begins with the defaults} */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds CqlSettings; what is not set has its default. Not thread-safe. */
    public static final class Builder {
        private Duration selfCheckInterval = Duration.ofMillis(10);
        private Duration prefetchInterval = Duration.ofNanos(500_000);
        private int refetchLimit = 8;
        private Duration refetchInterval = Duration.ofNanos(50_000);
        private Duration suspectAfter = Duration.ofSeconds(2);
        private Duration resetPollInterval = Duration.ofMillis(1);
        private Duration resetResendInterval = Duration.ofMillis(20);
        private boolean preArmedHandOver = true;
        private ReleaseRead releaseRead = ReleaseRead.ADAPTIVE;

        private Builder() {}

        /**
         * {@return this builder, with another {@link CqlSettings#selfCheckInterval}}
         *
         * @param selfCheckInterval the value
         */
        public Builder selfCheckInterval(Duration selfCheckInterval) {
            this.selfCheckInterval = selfCheckInterval;
            return this;
        }

        /**
         * {@return this builder, with another {@link CqlSettings#prefetchInterval}}
         *
         * @param prefetchInterval the value
         */
        public Builder prefetchInterval(Duration prefetchInterval) {
            this.prefetchInterval = prefetchInterval;
            return this;
        }

        /**
         * {@return this builder, with another {@link CqlSettings#refetchLimit}}
         *
         * @param refetchLimit the value
         */
        public Builder refetchLimit(int refetchLimit) {
            this.refetchLimit = refetchLimit;
            return this;
        }

        /**
         * {@return this builder, with another {@link CqlSettings#refetchInterval}}
         *
         * @param refetchInterval the value
         */
        public Builder refetchInterval(Duration refetchInterval) {
            this.refetchInterval = refetchInterval;
            return this;
        }

        /**
         * {@return this builder, with another {@link CqlSettings#suspectAfter}}
         *
         * @param suspectAfter the value
         */
        public Builder suspectAfter(Duration suspectAfter) {
            this.suspectAfter = suspectAfter;
            return this;
        }

        /**
         * {@return this builder, with another {@link CqlSettings#resetPollInterval}}
         *
         * @param resetPollInterval the value
         */
        public Builder resetPollInterval(Duration resetPollInterval) {
            this.resetPollInterval = resetPollInterval;
            return this;
        }

        /**
         * {@return this builder, with another {@link CqlSettings#resetResendInterval}}
         *
         * @param resetResendInterval the value
         */
        public Builder resetResendInterval(Duration resetResendInterval) {
            this.resetResendInterval = resetResendInterval;
            return this;
        }

        /**
         * {@return this builder, with another {@link CqlSettings#preArmedHandOver}}
         *
         * @param preArmedHandOver the value
         */
        public Builder preArmedHandOver(boolean preArmedHandOver) {
            this.preArmedHandOver = preArmedHandOver;
            return this;
        }

        /**
         * {@return this builder, with another {@link CqlSettings#releaseRead}}
         *
         * @param releaseRead the value
         */
        public Builder releaseRead(ReleaseRead releaseRead) {
            this.releaseRead = releaseRead;
            return this;
        }

        /**
         * {@return the settings}
         *
         * @throws InvalidSettingException if a value cannot work
         */
        public CqlSettings build() {
            return new CqlSettings(
                    selfCheckInterval,
                    prefetchInterval,
                    refetchLimit,
                    refetchInterval,
                    suspectAfter,
                    resetPollInterval,
                    resetResendInterval,
                    preArmedHandOver,
                    releaseRead);
        }
    }
}
