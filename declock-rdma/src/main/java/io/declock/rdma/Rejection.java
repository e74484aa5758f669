// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.ibm.disni.verbs.RdmaCmId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Rejects connection requests, with the reason as text in the private data. */
final class Rejection {
    private static final Logger LOG = LoggerFactory.getLogger(Rejection.class);

    /** Maximum length of the private data of rdma_reject(3). */
    private static final int MAX_BYTES = 148;

    private Rejection() {}

    /** Rejects a request; the caller must still destroy its id. */
    static void send(ConnectionManager manager, RdmaCmId id, String reason) {
        manager.counters().rejections.increment();
        byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        try {
            manager.backend().reject(id, Arrays.copyOf(text, Math.min(text.length, MAX_BYTES)));
        } catch (IOException e) {
            LOG.debug("A connection request could not be rejected: {}", e.getMessage());
        }
    }

    /** Returns the reason of a rejection; empty if the private data has none. */
    static String read(byte[] privateData) {
        int length = 0;
        while (length < privateData.length && privateData[length] != 0) {
            length++;
        }
        return new String(privateData, 0, length, StandardCharsets.UTF_8);
    }
}
