// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

/** The order between readers and writers, and between local and remote waiters (DecLock, section 5.3). */
public enum FairnessPolicy {
    /** All waiters in the order of arrival, across processes within the bounds of {@link LocalSettings}; a waiting writer stops later readers. */
    TASK_FAIR,
    /** Readers of this process may pass its waiting writers, for a bounded number of phases. */
    PHASE_FAIR
}
