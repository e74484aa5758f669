// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Spring Integration's locks on DecLock: {@link io.declock.spring.integration.DecLockRegistry} takes the place of a {@code LockRegistry}
 * that keeps its locks in Redis, a database, ZooKeeper or Hazelcast. With Spring Boot it is auto-configured where an application has no
 * {@code LockRegistry} bean.
 *
 * <pre>{@code
 * registry.executeLocked("order:42", () -> orders.ship(42));
 *
 * new LockRegistryLeaderInitiator(registry, candidate);        // one instance of all leads
 * }</pre>
 */
@NullMarked
package io.declock.spring.integration;

import org.jspecify.annotations.NullMarked;
