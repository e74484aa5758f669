// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import org.jspecify.annotations.Nullable;

/** A session's data plane or control plane failed; the session has ended or is about to. */
public class FabricException extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one whose message names the node, the attempted action and the failure.
     *
     * @param message names the node, what was tried and what happened
     */
    public FabricException(String message) {
        super(message);
    }

    /**
     * Makes one whose message names the node, the attempted action and the failure.
     *
     * @param message names the node, what was tried and what happened
     * @param cause what caused it, or null
     */
    public FabricException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** The memory node refused. A retry without a change is pointless, unless the reason {@linkplain Reason#passes passes}. */
    public static final class Refused extends FabricException {
        private static final long serialVersionUID = 1L;

        /** The kind of refusal. */
        private final Reason reason;

        /**
         * Makes one from the memory node's answer.
         *
         * @param reason the kind of refusal
         * @param message what the memory node said
         */
        public Refused(Reason reason, String message) {
            super(message);
            this.reason = reason;
        }

        /** {@return the kind of refusal} */
        public Reason reason() {
            return reason;
        }
    }

    /** Why a memory node refuses. The codes are on the wire. */
    public enum Reason {
        /** The shared secret is wrong or missing. */
        BAD_SECRET(1),
        /** The other side speaks another version of the protocol. */
        BAD_VERSION(2),
        /** The compute node is configured with another set of memory nodes than the one this memory node serves. */
        BAD_NODE_SET(3),
        /** The number of joined compute nodes has reached the queue capacity. */
        TOO_MANY_COMPUTE_NODES(4),
        /** No lock record is free. */
        TABLE_FULL(5),
        /** The request itself is invalid, for example because a lock name is empty or too long. */
        BAD_REQUEST(6),
        /** The memory node waits for the leases of old sessions to run out after a restart. */
        NOT_YET(7),
        /** This session has created as many lock records as one session may. */
        TOO_MANY_NAMES(8),
        /** Another living memory node has the same id. */
        TWO_MEMORY_NODES(9),
        /** The session that a new connection would resume, or whose holds would be restored, is over. */
        SESSION_OVER(10),
        /** Another candidate of this memory node serves. */
        STANDS_BY(11);

        private final int code;

        Reason(int code) {
            this.code = code;
        }

        /** {@return the number on the wire} */
        public int code() {
            return code;
        }

        /**
         * {@return whether the reason passes in time without a change on the refused side, so that the compute node keeps trying to
         * join}
         */
        public boolean passes() {
            return this == NOT_YET || this == TWO_MEMORY_NODES || this == STANDS_BY;
        }

        /**
         * {@return the reason with that number}
         *
         * @param code the number on the wire
         */
        public static Reason of(int code) {
            for (Reason reason : values()) {
                if (reason.code == code) {
                    return reason;
                }
            }
            return BAD_REQUEST;
        }
    }
}
