// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.spi.AdapterException;
import io.declock.spi.Fabric;
import io.declock.spi.FabricCounters;
import java.util.Map;

/**
 * Opens the fabric whose verbs go by RDMA. The implementation is found by {@link java.util.ServiceLoader}, so that this module does not
 * depend on it.
 */
public interface RdmaFabricProvider {
    /** The scheme of the addresses that the fabric serves. */
    String SCHEME = "rdma";

    /**
     * Opens a fabric.
     *
     * @param options settings by name, as in the properties below {@code declock.rdma}; a missing one has its default
     * @param control carries everything but verbs; closed with the fabric that is returned
     * @throws AdapterException if the fabric is not possible on this machine
     */
    Fabric open(Map<String, String> options, TcpFabric control, FabricCounters counters) throws AdapterException;
}
