// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols;

import io.declock.LockMode;

/**
 * One that has arrived at a lock and not been granted it, as {@link LockOrder#mayPass} is told of it.
 *
 * @param mode what it waits for
 * @param cameBesideWriter whether a writer held the lock, or had not ended its release, when it came
 * @param writersSince how many writers were granted the lock since it came
 */
public record Waiter(LockMode mode, boolean cameBesideWriter, int writersSince) {}
