// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** ZooKeeper elects the candidate that serves a memory node. */
@NullMarked
package io.declock.election.zookeeper;

import org.jspecify.annotations.NullMarked;
