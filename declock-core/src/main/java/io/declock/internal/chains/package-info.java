// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Exactly once: both ends of the numbered chains of a session, which survive a connection (rule G2). Neither knows how chains travel.
 */
@org.jspecify.annotations.NullMarked
package io.declock.internal.chains;
