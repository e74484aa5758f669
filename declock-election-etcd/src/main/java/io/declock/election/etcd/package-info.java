// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** etcd elects the candidate that serves a memory node. */
@NullMarked
package io.declock.election.etcd;

import org.jspecify.annotations.NullMarked;
