// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.ibm.disni.verbs.RdmaCmId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Saying no to a connection request, with the reason as text in its private data. */
final class Rejection {
    private static final Logger LOG = LoggerFactory.getLogger(Rejection.class);

    /** What rdma_reject(3) carries. */
    private static final int MAX_BYTES = 148;

    private Rejection() {}

    /** Rejects a request; its id is still to be destroyed. */
    static void send(ConnectionManager manager, RdmaCmId id, String reason) {
        manager.counters().rejections.increment();
        byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        try {
            manager.backend().reject(id, Arrays.copyOf(text, Math.min(text.length, MAX_BYTES)));
        } catch (IOException e) {
            LOG.debug("A connection request could not be rejected: {}", e.getMessage());
        }
    }

    /** Returns the reason, empty if none was given. */
    static String read(byte[] privateData) {
        int length = 0;
        while (length < privateData.length && privateData[length] != 0) {
            length++;
        }
        return new String(privateData, 0, length, StandardCharsets.UTF_8);
    }
}
