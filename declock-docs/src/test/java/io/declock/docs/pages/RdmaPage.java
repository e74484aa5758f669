// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.pages;

import io.declock.DecLock;
import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.TcpFabricSettings;

/** The code of docs/rdma.md, which only has to compile. */
@SuppressWarnings({"unused", "try"})
class RdmaPage {
    void connect(String secret) throws InterruptedException {
        // tag::rdma-builder[]
        try (DecLock locks = DecLock.builder()
                .memoryNodes("rdma://locks-1.internal:7420")
                .tcp(TcpFabricSettings.builder().secret(secret).build())
                .rdma("address", "10.0.0.7")
                .open()) {
            try (LockHandle handle = locks.acquire(LockRequest.write("order:42"))) {
                // inside
            }
        }
        // end::rdma-builder[]
    }
}
