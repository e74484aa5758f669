// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.SettingChecks;
import java.net.InetAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of connections.
 *
 * @param localAddress address of the adapter to use, null to let the route decide
 * @param ackTimeout how long the adapter waits for an acknowledgement before it sends again: 4.096 us times two to this power
 * @param retryCount how often it sends again, 0 to 7
 * @param rnrRetryCount how often it sends again to a receiver without buffers, 0 to 6; 7 means until the receiver has one
 * @param maxInFlight maximum number of chains in flight per memory node, a power of two; further chains wait
 * @param maxReadsAndAtomics maximum number of READs and atomics in flight per connection; the device may allow fewer
 * @param inlineBytes WRITEs and messages up to this size are copied when they are posted, if the device supports it
 * @param pollTime how long a caller that waits for its own chain takes completions before it parks, and how long the completion thread
 *     polls after the last completion while chains are in flight that no caller waits for; zero to sleep at once
 * @param connectTimeout how long connecting may take
 * @param requestTimeout how long a chain may take
 */
public record ConnectionSettings(
        @Nullable InetAddress localAddress,
        int ackTimeout,
        int retryCount,
        int rnrRetryCount,
        int maxInFlight,
        int maxReadsAndAtomics,
        int inlineBytes,
        Duration pollTime,
        Duration connectTimeout,
        Duration requestTimeout) {
    /** The defaults; with them, the death of a host is noticed after about 0.3 s. */
    public static final ConnectionSettings DEFAULTS = builder().build();

    /** Checks the values. */
    public ConnectionSettings {
        SettingChecks.between("ack-timeout", ackTimeout, 0, 31);
        SettingChecks.between("retry-count", retryCount, 0, 7);
        SettingChecks.between("rnr-retry-count", rnrRetryCount, 0, 7);
        SettingChecks.powerOfTwo("max-in-flight", maxInFlight, 1, 4096);
        SettingChecks.between("max-reads-and-atomics", maxReadsAndAtomics, 1, 255);
        SettingChecks.between("inline-bytes", inlineBytes, 0, 4096);
        SettingChecks.notNegative("poll-time", pollTime);
        SettingChecks.positive("connect-timeout", connectTimeout);
        SettingChecks.positive("request-timeout", requestTimeout);
    }

    /** Returns a builder that begins with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds ConnectionSettings; what is not set has its default. Not thread-safe. */
    public static final class Builder {
        private @Nullable InetAddress localAddress;
        private int ackTimeout = 14;
        private int retryCount = 3;
        private int rnrRetryCount = 7;
        private int maxInFlight = 128;
        private int maxReadsAndAtomics = 16;
        private int inlineBytes = 64;
        private Duration pollTime = Duration.ofNanos(20_000);
        private Duration connectTimeout = Duration.ofSeconds(5);
        private Duration requestTimeout = Duration.ofSeconds(5);

        private Builder() {}

        /** Sets {@link ConnectionSettings#localAddress}. */
        public Builder localAddress(@Nullable InetAddress localAddress) {
            this.localAddress = localAddress;
            return this;
        }

        /** Sets {@link ConnectionSettings#ackTimeout}. */
        public Builder ackTimeout(int ackTimeout) {
            this.ackTimeout = ackTimeout;
            return this;
        }

        /** Sets {@link ConnectionSettings#retryCount}. */
        public Builder retryCount(int retryCount) {
            this.retryCount = retryCount;
            return this;
        }

        /** Sets {@link ConnectionSettings#rnrRetryCount}. */
        public Builder rnrRetryCount(int rnrRetryCount) {
            this.rnrRetryCount = rnrRetryCount;
            return this;
        }

        /** Sets {@link ConnectionSettings#maxInFlight}. */
        public Builder maxInFlight(int maxInFlight) {
            this.maxInFlight = maxInFlight;
            return this;
        }

        /** Sets {@link ConnectionSettings#maxReadsAndAtomics}. */
        public Builder maxReadsAndAtomics(int maxReadsAndAtomics) {
            this.maxReadsAndAtomics = maxReadsAndAtomics;
            return this;
        }

        /** Sets {@link ConnectionSettings#inlineBytes}. */
        public Builder inlineBytes(int inlineBytes) {
            this.inlineBytes = inlineBytes;
            return this;
        }

        /** Sets {@link ConnectionSettings#pollTime}. */
        public Builder pollTime(Duration pollTime) {
            this.pollTime = pollTime;
            return this;
        }

        /** Sets {@link ConnectionSettings#connectTimeout}. */
        public Builder connectTimeout(Duration connectTimeout) {
            this.connectTimeout = connectTimeout;
            return this;
        }

        /** Sets {@link ConnectionSettings#requestTimeout}. */
        public Builder requestTimeout(Duration requestTimeout) {
            this.requestTimeout = requestTimeout;
            return this;
        }

        /**
         * Builds the settings.
         *
         * @throws InvalidSettingException if a value cannot work
         */
        public ConnectionSettings build() {
            return new ConnectionSettings(
                    localAddress,
                    ackTimeout,
                    retryCount,
                    rnrRetryCount,
                    maxInFlight,
                    maxReadsAndAtomics,
                    inlineBytes,
                    pollTime,
                    connectTimeout,
                    requestTimeout);
        }
    }
}
