// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Other locks of the literature behind one small port, so that DecLock can be compared with them on the same verbs. They are for evaluation and
 * teaching: no application can select them.
 */
@NullMarked
package io.declock.protocols;

import org.jspecify.annotations.NullMarked;
