// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi.election;

import org.jspecify.annotations.Nullable;

/** A setting of an engine cannot be used. The message says which one and why, {@link #action} what to do. */
public class InvalidElectionSettingException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Name of the setting. */
    private final String setting;
    /** What to do about it. */
    private final String action;

    /**
     * Makes one.
     *
     * @param setting name of the setting
     * @param reason why it cannot be used, as the end of a sentence that begins with its name: "is not set"
     * @param action what to do
     * @param cause what caused it, or null
     */
    public InvalidElectionSettingException(String setting, String reason, String action, @Nullable Throwable cause) {
        super(setting + " " + reason, cause);
        this.setting = setting;
        this.action = action;
    }

    /** {@return the name of the setting} */
    public String setting() {
        return setting;
    }

    /** {@return what to do about it} */
    public String action() {
        return action;
    }
}
