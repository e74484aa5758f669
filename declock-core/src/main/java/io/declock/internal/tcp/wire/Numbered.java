// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

/**
 * The body of a request, or of the answer to one.
 *
 * @param request number of the request
 * @param value what follows the number
 */
public record Numbered<T>(int request, T value) {}
