// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import java.util.List;

/** {@code enum ibv_wc_status} of verbs.h, and what its more frequent values mean for this fabric. */
final class CompletionStatus {
    private static final List<String> NAMES = List.of(
            "SUCCESS",
            "LOC_LEN_ERR",
            "LOC_QP_OP_ERR",
            "LOC_EEC_OP_ERR",
            "LOC_PROT_ERR",
            "WR_FLUSH_ERR",
            "MW_BIND_ERR",
            "BAD_RESP_ERR",
            "LOC_ACCESS_ERR",
            "REM_INV_REQ_ERR",
            "REM_ACCESS_ERR",
            "REM_OP_ERR",
            "RETRY_EXC_ERR",
            "RNR_RETRY_EXC_ERR",
            "LOC_RDD_VIOL_ERR",
            "REM_INV_RD_REQ_ERR",
            "REM_ABORT_ERR",
            "INV_EECN_ERR",
            "INV_EEC_STATE_ERR",
            "FATAL_ERR",
            "RESP_TIMEOUT_ERR",
            "GENERAL_ERR");

    private CompletionStatus() {}

    static String name(int status) {
        return status >= 0 && status < NAMES.size() ? NAMES.get(status) : "status " + status;
    }

    /** Returns the name of a status and, if it is a frequent one, its meaning. */
    static String describe(int status) {
        return name(status)
                + switch (status) {
                    case 5 -> ": the queue pair was shut down";
                    case 9 ->
                        ": the other side's adapter does not allow this operation; check that its device executes atomics";
                    case 10 -> ": the key or the bounds are not the granted ones, or the grant was revoked";
                    case 12 ->
                        ": the other side's adapter did not acknowledge; its host is down, or a switch drops RoCE traffic";
                    case 13 -> ": the other side posts no receive buffers for messages";
                    default -> "";
                };
    }
}
