// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

/**
 * A request of a customer that got no answer, or another one than a correct answer. Times are of {@link System#nanoTime}.
 *
 * @param shop number of the shop that was asked, from 0
 * @param began when the customer chose the shop's address
 * @param ended when the failure was known
 * @param kind what happened
 */
record FailedRequest(int shop, long began, long ended, String kind) {}
