// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** What uses locks in an evaluation, behind one small port, so that it runs on each lock and in each world. */
@NullMarked
package io.declock.protocols.application;

import org.jspecify.annotations.NullMarked;
