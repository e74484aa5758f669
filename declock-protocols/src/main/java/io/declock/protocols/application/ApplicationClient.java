// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.application;

/** A client of an application. It has one thing to do at a time. Not thread-safe: its {@link ApplicationWorld} calls it on one thread at a time. */
@FunctionalInterface
public interface ApplicationClient {
    /** Begins, and goes on until the world calls back no more. */
    void start();
}
