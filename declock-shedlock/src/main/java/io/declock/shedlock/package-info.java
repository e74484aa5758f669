// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/**
 * ShedLock's locks on DecLock: {@link io.declock.shedlock.DecLockProvider} takes the place of a {@code LockProvider} that keeps its locks
 * in a database, Redis or MongoDB. With Spring Boot it is auto-configured where an application has no {@code LockProvider} bean.
 *
 * <pre>{@code
 * @Scheduled(cron = "0 0 3 * * *")
 * @SchedulerLock(name = "invoices", lockAtMostFor = "30m", lockAtLeastFor = "1m")
 * void sendInvoices() { … }                                    // one instance of all
 * }</pre>
 */
@NullMarked
package io.declock.shedlock;

import org.jspecify.annotations.NullMarked;
