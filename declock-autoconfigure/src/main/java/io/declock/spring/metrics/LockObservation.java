// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.metrics;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/** The observations of locks. */
public enum LockObservation implements ObservationDocumentation {
    /** An acquisition, from the request to its end, with all its attempts. */
    ACQUIRE {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return DefaultAcquisitionConvention.class;
        }

        @Override
        public KeyName[] getLowCardinalityKeyNames() {
            return Acquisition.values();
        }

        @Override
        public KeyName[] getHighCardinalityKeyNames() {
            return Acquisition.Traced.values();
        }
    },

    /** A hold of one lock, from its grant to its release or loss; reentrant acquisitions belong to the first one's. */
    HOLD {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return DefaultHoldConvention.class;
        }

        @Override
        public KeyName[] getLowCardinalityKeyNames() {
            return Hold.values();
        }

        @Override
        public KeyName[] getHighCardinalityKeyNames() {
            return Hold.Traced.values();
        }
    };

    /** The key values of metrics and traces of a hold. */
    public enum Hold implements KeyName {
        /** The mode in which it began: {@code read} or {@code write}. */
        MODE("mode"),
        /** Whether it was lost before it was released: {@code true} or {@code false}. */
        LOST("lost");

        private final String key;

        Hold(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }

        /** The key values of traces only. */
        public enum Traced implements KeyName {
            /** The name of the lock. */
            LOCK("lock"),
            /** The fencing token with which it began. A later hold of the same lock for writing has a greater one. */
            FENCING_TOKEN("fencing.token");

            private final String key;

            Traced(String key) {
                this.key = key;
            }

            @Override
            public String asString() {
                return key;
            }
        }
    }

    /** The key values of metrics and traces of an acquisition. */
    public enum Acquisition implements KeyName {
        /** Whether a lock was asked for in mode WRITE ({@code write}), or all of them in mode READ ({@code read}). */
        MODE("mode"),
        /** How it ended: {@code granted}, {@code not.granted}, {@code unavailable}, {@code failed}; {@code pending} at its beginning. */
        OUTCOME("outcome");

        private final String key;

        Acquisition(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }

        /** The key values of traces only. */
        public enum Traced implements KeyName {
            /** The names of the locks, with commas between them. */
            LOCKS("locks");

            private final String key;

            Traced(String key) {
                this.key = key;
            }

            @Override
            public String asString() {
                return key;
            }
        }
    }
}
