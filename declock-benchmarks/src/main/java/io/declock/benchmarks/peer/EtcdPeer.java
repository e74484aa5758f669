// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.peer;

import io.declock.LockMode;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.Lock;
import io.etcd.jetcd.lease.LeaseKeepAliveResponse;
import io.etcd.jetcd.support.Observers;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;

/**
 * etcd's lock service through jetcd: {@code lock(name, lease)}. etcd identifies an owner by its lease, so each thread has a lease of its
 * own, which is kept alive.
 */
public final class EtcdPeer implements LockUnderTest {
    private static final long LEASE_SECONDS = 30;

    private final Client client;
    private final Lock locks;
    private final ThreadLocal<Long> leases = ThreadLocal.withInitial(this::grantLease);

    /** Connects. */
    public EtcdPeer(String address) {
        client = Client.builder().endpoints(address).build();
        locks = client.getLockClient();
    }

    private long grantLease() {
        try {
            long lease = client.getLeaseClient().grant(LEASE_SECONDS).get().getID();
            client.getLeaseClient().keepAlive(lease, Observers.<LeaseKeepAliveResponse>observer(response -> {}));
            return lease;
        } catch (ExecutionException | InterruptedException e) {
            throw new IllegalStateException("no lease", e);
        }
    }

    @Override
    public Held lock(String name, LockMode mode) throws Exception {
        ByteSequence key = locks.lock(ByteSequence.from(name, StandardCharsets.UTF_8), leases.get())
                .get()
                .getKey();
        return () -> locks.unlock(key).get();
    }

    @Override
    public void close() {
        client.close();
    }
}
