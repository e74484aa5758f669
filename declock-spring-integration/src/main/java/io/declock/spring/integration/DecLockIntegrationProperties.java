// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.integration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties of the lock registry for Spring Integration.
 *
 * @param enabled Whether Spring Integration gets a lock registry on DecLock, if the application has none.
 * @param prefix What the names of the registry's locks begin with, before the key.
 */
@ConfigurationProperties("declock.integration")
public record DecLockIntegrationProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue(DecLockRegistry.DEFAULT_PREFIX) String prefix) {}
