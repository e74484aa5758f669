// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app.console;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The console.
 *
 * @param enabled Whether the page is served, at /console of the port of Actuator.
 * @param viewerPassword Password of the user "viewer", who sees everything and changes nothing. Without one there is no such user.
 * @param operatorPassword Password of the user "operator", who may end holds too. Without one it is made at each start, and logged once.
 */
@ConfigurationProperties("declock.memory-node.console")
public record ConsoleProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable String viewerPassword,
        @Nullable String operatorPassword) {
    @Override
    public String toString() {
        return "console " + (enabled ? "on" : "off");
    }
}
