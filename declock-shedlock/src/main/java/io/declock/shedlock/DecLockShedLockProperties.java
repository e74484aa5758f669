// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.shedlock;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties of the lock provider for ShedLock.
 *
 * @param enabled Whether ShedLock gets a lock provider on DecLock, if the application has none.
 * @param prefix What the names of the provider's locks begin with, before ShedLock's name.
 */
@ConfigurationProperties("declock.shedlock")
public record DecLockShedLockProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue(DecLockProvider.DEFAULT_PREFIX) String prefix) {}
