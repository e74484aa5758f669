// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.time.Duration;

/**
 * When a compute node keeps a position that its last user has released, so that the next user in this process needs no remote operation. A kept
 * position is given back as soon as another process asks for the lock. Sources: kept copies in "Soul", delegations of NFSv4.
 *
 * @param enabled whether positions are kept
 * @param after after how many acquisitions in a row, with no other process between them
 * @param idle how long a position is kept without a user
 * @param max most positions that are kept at a time
 */
public record KeepSettings(boolean enabled, int after, Duration idle, int max) {
    /** The defaults: on, after 3 acquisitions, for 1 s, 1,024 positions. */
    public static final KeepSettings DEFAULTS = builder().build();

    /** Nothing is kept. */
    public static final KeepSettings OFF = builder().enabled(false).build();

    /**
     * Checks the values.
     *
     * @throws InvalidSettingException if a value cannot work
     */
    public KeepSettings {
        SettingChecks.atLeast("keep.after", after, 1);
        SettingChecks.positive("keep.idle", idle);
        SettingChecks.atLeast("keep.max", max, 1);
    }

    /** {@return a builder that begins with the defaults} */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds KeepSettings; what is not set has its default. Not thread-safe. */
    public static final class Builder {
        private boolean enabled = true;
        private int after = 3;
        private Duration idle = Duration.ofSeconds(1);
        private int max = 1024;

        private Builder() {}

        /**
         * {@return this builder, with another {@link KeepSettings#enabled}}
         *
         * @param enabled the value
         */
        public Builder enabled(boolean enabled) {
            this.enabled = enabled;
            return this;
        }

        /**
         * {@return this builder, with another {@link KeepSettings#after}}
         *
         * @param after the value
         */
        public Builder after(int after) {
            this.after = after;
            return this;
        }

        /**
         * {@return this builder, with another {@link KeepSettings#idle}}
         *
         * @param idle the value
         */
        public Builder idle(Duration idle) {
            this.idle = idle;
            return this;
        }

        /**
         * {@return this builder, with another {@link KeepSettings#max}}
         *
         * @param max the value
         */
        public Builder max(int max) {
            this.max = max;
            return this;
        }

        /**
         * {@return the settings}
         *
         * @throws InvalidSettingException if a value cannot work
         */
        public KeepSettings build() {
            return new KeepSettings(enabled, after, idle, max);
        }
    }
}
