// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Kubernetes elects the candidate that serves a memory node. */
@NullMarked
package io.declock.election.kubernetes;

import org.jspecify.annotations.NullMarked;
