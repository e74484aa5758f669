// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.DecLockException;
import org.jspecify.annotations.Nullable;

/** A property has a value that cannot work. */
final class InvalidDecLockPropertyException extends DecLockException {
    private static final long serialVersionUID = 1L;

    private final String property;
    private final String value;
    private final String reason;
    private final String mend;

    /**
     * Makes one.
     *
     * @param property the property's name
     * @param value its value
     * @param reason what is wrong with the value, worded to follow "because"
     * @param mend what to do, in full sentences
     */
    InvalidDecLockPropertyException(
            String property, String value, String reason, String mend, @Nullable Throwable cause) {
        super(property + "=" + value + " cannot be used because " + reason + ". " + mend, cause);
        this.property = property;
        this.value = value;
        this.reason = reason;
        this.mend = mend;
    }

    String property() {
        return property;
    }

    String value() {
        return value;
    }

    String reason() {
        return reason;
    }

    String mend() {
        return mend;
    }
}
