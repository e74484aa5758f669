// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.SVCDeregMr;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCRegMr;
import com.ibm.disni.verbs.SVCReqNotify;
import io.declock.rdma.verbs.Completions;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** DiSNI's reusable calls, except posting. Not thread-safe. */
final class FfmCalls {
    private FfmCalls() {}

    /** See ibv_reg_mr(3). */
    static final class RegMr extends SVCRegMr {
        private final FfmVerbs verbs;
        private final IbvPd pd;
        private final long address;
        private final int length;
        private final int access;
        private @Nullable IbvMr mr;

        RegMr(FfmVerbs verbs, IbvPd pd, long address, int length, int access) {
            this.verbs = verbs;
            this.pd = pd;
            this.address = address;
            this.length = length;
            this.access = access;
        }

        @Override
        public SVCRegMr execute() throws IOException {
            mr = verbs.register(pd, address, length, access);
            return this;
        }

        @Override
        @SuppressWarnings("NullAway") // DiSNI is not annotated: null before execute.
        public @Nullable IbvMr getMr() {
            return mr;
        }

        @Override
        public boolean isValid() {
            return true;
        }

        @Override
        public SVCRegMr free() {
            return this;
        }
    }

    /** See ibv_dereg_mr(3). */
    static final class DeregMr extends SVCDeregMr {
        private final FfmVerbs verbs;
        private final IbvMr mr;

        DeregMr(FfmVerbs verbs, IbvMr mr) {
            this.verbs = verbs;
            this.mr = mr;
        }

        @Override
        public SVCDeregMr execute() throws IOException {
            verbs.deregister(mr);
            return this;
        }

        @Override
        public boolean isValid() {
            return mr.isOpen();
        }

        @Override
        public SVCDeregMr free() {
            return this;
        }
    }

    /** See ibv_poll_cq(3). */
    static final class PollCq extends SVCPollCq {
        private final FfmCq cq;
        private final IbvWC[] completions;
        private final Completions taken;
        private boolean valid = true;
        private int polls;

        PollCq(FfmCq cq, IbvWC[] completions, int entries) {
            this.cq = cq;
            this.completions = completions;
            this.taken = new Completions(entries);
        }

        @Override
        public SVCPollCq execute() throws IOException {
            polls = cq.poll(taken.capacity(), taken.address());
            if (polls < 0) {
                throw new IOException("ibv_poll_cq returned " + polls);
            }
            for (int i = 0; i < polls; i++) {
                completions[i].setWr_id(taken.id(i));
                completions[i].setStatus(taken.status(i));
                completions[i].setOpcode(taken.opcode(i));
                completions[i].setByte_len(taken.bytes(i));
                completions[i].setQp_num(taken.queuePair(i));
            }
            return this;
        }

        @Override
        public int getPolls() {
            return polls;
        }

        @Override
        public boolean isValid() {
            return valid;
        }

        @Override
        public SVCPollCq free() {
            valid = false;
            taken.close();
            return this;
        }
    }

    /** See ibv_req_notify_cq(3). */
    static final class ReqNotify extends SVCReqNotify {
        private final FfmCq cq;
        private final boolean solicitedOnly;

        ReqNotify(FfmCq cq, boolean solicitedOnly) {
            this.cq = cq;
            this.solicitedOnly = solicitedOnly;
        }

        @Override
        public SVCReqNotify execute() throws IOException {
            int errno = cq.reqNotify(solicitedOnly);
            if (errno != 0) {
                throw new NativeCallException("ibv_req_notify_cq", Math.abs(errno));
            }
            return this;
        }

        @Override
        public boolean isValid() {
            return true;
        }

        @Override
        public SVCReqNotify free() {
            return this;
        }
    }
}
