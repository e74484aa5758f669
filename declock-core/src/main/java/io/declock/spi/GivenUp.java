// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

/**
 * The word of a memory node that it has given up the names which belong to others by a list of memory nodes. Compute nodes carry it to those
 * others.
 *
 * @param source id of the memory node that has given them up
 * @param number number of the list
 * @param epoch epoch that no lock of it has exceeded
 */
public record GivenUp(String source, long number, long epoch) {}
