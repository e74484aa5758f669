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
            return new KeyName[] {ObservationKey.MODE, ObservationKey.OUTCOME};
        }

        @Override
        public KeyName[] getHighCardinalityKeyNames() {
            return new KeyName[] {ObservationKey.LOCKS};
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
            return new KeyName[] {ObservationKey.MODE, ObservationKey.LOST};
        }

        @Override
        public KeyName[] getHighCardinalityKeyNames() {
            return new KeyName[] {ObservationKey.LOCK, ObservationKey.FENCING_TOKEN};
        }
    };

    /** The names of the key values. */
    public enum ObservationKey implements KeyName {
        /**
         * Of a hold, the mode in which it began; of an acquisition, whether a lock was asked for in mode WRITE ({@code write}), or all of them in
         * mode READ ({@code read}).
         */
        MODE("mode"),
        /** How an acquisition ended: {@code granted}, {@code not.granted}, {@code unavailable}, {@code failed}; {@code pending} at its beginning. */
        OUTCOME("outcome"),
        /** Whether a hold was lost before it was released: {@code true} or {@code false}. */
        LOST("lost"),
        /** In traces only: the names of the locks that an acquisition asked for, with commas between them. */
        LOCKS("locks"),
        /** In traces only: the name of the lock that is held. */
        LOCK("lock"),
        /** In traces only: the fencing token with which a hold began. A later hold of the same lock for writing has a greater one. */
        FENCING_TOKEN("fencing.token");

        private final String key;

        ObservationKey(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }
}
