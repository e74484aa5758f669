// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** The report: figures as pictures, pages in HTML and Markdown. */
@NullMarked
package io.declock.evaluation.report;

import org.jspecify.annotations.NullMarked;
