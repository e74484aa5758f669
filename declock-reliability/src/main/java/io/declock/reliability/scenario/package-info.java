// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Fault scenarios: recovery times until the next grant, and the soak. */
@NullMarked
package io.declock.reliability.scenario;

import org.jspecify.annotations.NullMarked;
