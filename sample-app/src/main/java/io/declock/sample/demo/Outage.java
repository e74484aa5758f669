// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

/**
 * A time in which the fault script kept a shop from serving. Times are of {@link System#nanoTime}.
 *
 * @param shop the shop's number, from 0
 * @param from just before the fault
 * @param until when the shop was ready again
 */
record Outage(int shop, long from, long until) {
    /** Returns whether the shop was kept from serving during a part of the request, which may have failed for that. */
    boolean explains(FailedRequest request) {
        return request.shop() == shop && request.ended() - from >= 0 && request.began() - until <= 0;
    }
}
