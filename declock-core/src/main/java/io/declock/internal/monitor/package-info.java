// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Monitoring of a running compute node: counters, loops that report delays, isolation of failing steps, and a throttled log. */
@NullMarked
package io.declock.internal.monitor;

import org.jspecify.annotations.NullMarked;
