// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import com.ibm.disni.verbs.RdmaConnParam;
import io.declock.rdma.verbs.ConnectionParameters;

/** DiSNI's connection parameters, most of whose setters refuse to set a value. */
final class FfmConnParam extends RdmaConnParam {
    /**
     * Makes them.
     *
     * @param privateData address of the private data, which must stay there until the call has been made
     */
    FfmConnParam(long privateData, ConnectionParameters parameters) {
        private_data_addr = privateData;
        private_data_len = (byte) parameters.privateData().length;
        responder_resources = (byte) parameters.responderResources();
        initiator_depth = (byte) parameters.initiatorDepth();
        retry_count = (byte) parameters.retryCount();
        rnr_retry_count = (byte) parameters.rnrRetryCount();
    }
}
