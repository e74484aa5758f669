// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** What tests and measurements of this project need of the machine: processes, TCP proxies, ports, certificates. */
@NullMarked
package io.declock.testkit;

import org.jspecify.annotations.NullMarked;
