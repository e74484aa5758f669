// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

/**
 * A part of a compute node with its own life cycle. Thread-safe.
 *
 * @param start starts it; idempotent
 * @param stop stops it; idempotent
 */
public record ManagedComponent(String name, Runnable start, Runnable stop) {}
