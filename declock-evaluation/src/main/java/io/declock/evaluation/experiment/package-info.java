// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** What an experiment is: trials, published values, findings, figures; and how experiments are run. */
@NullMarked
package io.declock.evaluation.experiment;

import org.jspecify.annotations.NullMarked;
