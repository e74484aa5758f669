// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Processes, TCP proxies, ports, certificates and requirements on the machine, for the tests and measurements of this project. */
@NullMarked
package io.declock.testkit;

import org.jspecify.annotations.NullMarked;
