// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

/** Who goes first between readers and writers, and between local and remote waiters (DecLock, section 5.3). */
public enum FairnessPolicy {
    /** Everybody in the order of arrival; a waiting writer stops later readers. */
    TASK_FAIR,
    /** Readers of this process may pass its waiting writers, a bounded number of phases. */
    PHASE_FAIR
}
