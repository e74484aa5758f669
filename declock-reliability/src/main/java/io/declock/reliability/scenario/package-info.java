// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Faults of which the time until the next grant is measured. */
@NullMarked
package io.declock.reliability.scenario;

import org.jspecify.annotations.NullMarked;
