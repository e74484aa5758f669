// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import java.nio.file.Path;
import java.time.Duration;

/**
 * What all programs of a platform share.
 *
 * @param lease lease of every program
 * @param directory directory with the ledgers
 * @param databaseUrl JDBC URL of the accounts, for this process
 */
public record Site(Duration lease, Path directory, String databaseUrl) {}
