// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.verbs;

/** Numbers of verbs.h and rdma_cma.h under their C names. */
public final class Constants {
    /** Opcode of a WRITE. */
    public static final int IBV_WR_RDMA_WRITE = 0;
    /** Opcode of a SEND. */
    public static final int IBV_WR_SEND = 2;
    /** Opcode of a READ. */
    public static final int IBV_WR_RDMA_READ = 4;
    /** Opcode of a compare and swap. */
    public static final int IBV_WR_ATOMIC_CMP_AND_SWP = 5;
    /** Opcode of a fetch and add. */
    public static final int IBV_WR_ATOMIC_FETCH_AND_ADD = 6;

    /** The request starts when all READs and atomics before it have completed. */
    public static final int IBV_SEND_FENCE = 1;
    /** The request causes a completion also when it succeeds. */
    public static final int IBV_SEND_SIGNALED = 2;
    /** The data is copied when the request is posted. */
    public static final int IBV_SEND_INLINE = 8;

    /** The adapter may write to the memory. */
    public static final int IBV_ACCESS_LOCAL_WRITE = 1;
    /** Other adapters may write to it. */
    public static final int IBV_ACCESS_REMOTE_WRITE = 2;
    /** Other adapters may read it. */
    public static final int IBV_ACCESS_REMOTE_READ = 4;
    /** Other adapters may execute atomics on it. */
    public static final int IBV_ACCESS_REMOTE_ATOMIC = 8;

    /** A reliable connection. */
    public static final int IBV_QPT_RC = 2;
    /** The attribute {@code qp_state}. */
    public static final int IBV_QP_STATE = 1;
    /** The attribute {@code min_rnr_timer}. */
    public static final int IBV_QP_MIN_RNR_TIMER = 1 << 15;
    /** Ready to send and to receive. */
    public static final int IBV_QPS_RTS = 3;
    /** The error state. */
    public static final int IBV_QPS_ERR = 6;

    /** A completion without error. */
    public static final int IBV_WC_SUCCESS = 0;
    /** A completion of a request that was dropped because its queue pair is in the error state. */
    public static final int IBV_WC_WR_FLUSH_ERR = 5;

    /** A port that is up. */
    public static final int IBV_PORT_ACTIVE = 4;

    /** The device executes no atomics. */
    public static final int IBV_ATOMIC_NONE = 0;

    /** Port space of reliable connections. */
    public static final int RDMA_PS_TCP = 0x106;
    /** Level of options of an id, see rdma_set_option(3). */
    public static final int RDMA_OPTION_ID = 0;
    /** Option of the ACK time-out, in powers of two of 4.096 us. */
    public static final int RDMA_OPTION_ID_ACK_TIMEOUT = 3;

    private Constants() {}
}
