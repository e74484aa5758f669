// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols;

/**
 * A message from one client to another about one lock.
 *
 * @param from number of the sender
 * @param to number of the receiver
 * @param lock address of the lock
 * @param kind what it says; each protocol has its own numbers
 * @param detail a value that the kind defines
 */
public record LockMessage(int from, int to, long lock, int kind, long detail) {}
