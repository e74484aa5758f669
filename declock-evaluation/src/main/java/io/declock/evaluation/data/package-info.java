// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** What the object store and the index have in common. */
@NullMarked
package io.declock.evaluation.data;

import org.jspecify.annotations.NullMarked;
