// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app.console;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The console, and the users of the port of Actuator.
 *
 * @param enabled Whether the page is served, at /console of the port of Actuator.
 * @param viewerPassword Password of the user "viewer", who sees locks and changes nothing. At least 16 characters; without one there is no such
 *     user.
 * @param operatorPassword Password of the user "operator", who may end holds too. At least 16 characters; without one it is made at each start,
 *     and logged once.
 */
@ConfigurationProperties("declock.memory-node.console")
public record ConsoleProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable String viewerPassword,
        @Nullable String operatorPassword) {
    /** Guesses are not slowed down, so they must be hopeless. */
    private static final int SHORTEST_PASSWORD = 16;

    /** Checks the passwords. */
    public ConsoleProperties {
        viewerPassword = checked("viewer-password", viewerPassword);
        operatorPassword = checked("operator-password", operatorPassword);
    }

    private static @Nullable String checked(String name, @Nullable String password) {
        if (password == null || password.isBlank()) {
            return null;
        }
        if (password.length() < SHORTEST_PASSWORD) {
            throw new IllegalArgumentException("declock.memory-node.console." + name + " has " + password.length()
                    + " characters and needs at least " + SHORTEST_PASSWORD);
        }
        return password;
    }

    @Override
    public String toString() {
        return "console " + (enabled ? "on" : "off");
    }
}
