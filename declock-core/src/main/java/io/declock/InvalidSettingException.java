// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A setting has a value that cannot work. The message names the setting, its value, the reason, and what to do. */
public final class InvalidSettingException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;
    private static final Pattern NAME = Pattern.compile("\\{([^{}]+)}");

    /** The setting that has it. */
    private final String setting;
    /** The value, as text. */
    private final String value;
    /** Why it cannot work. */
    private final String reason;
    /** What to set. */
    private final String mend;

    /**
     * Makes one.
     *
     * @param setting name of the setting: the component of the settings type, or the property that was set
     * @param value its value, or a replacement for a value that must not be shown
     * @param reason what is wrong with the value, worded to follow "because"; names of other settings are in braces
     * @param mend what to do, in full sentences; names of settings are in braces
     */
    public InvalidSettingException(String setting, String value, String reason, String mend) {
        this(setting, value, reason, mend, name -> name, null);
    }

    /**
     * Makes one with a cause.
     *
     * @param setting name of the setting
     * @param value its value, or a replacement for a value that must not be shown
     * @param reason what is wrong with the value, worded to follow "because"; names of other settings are in braces
     * @param mend what to do, in full sentences; names of settings are in braces
     * @param cause what was noticed, or null
     */
    public InvalidSettingException(
            String setting, String value, String reason, String mend, @Nullable Throwable cause) {
        this(setting, value, reason, mend, name -> name, cause);
    }

    private InvalidSettingException(
            String setting,
            String value,
            String reason,
            String mend,
            UnaryOperator<String> names,
            @Nullable Throwable cause) {
        super(
                names.apply(setting) + "=" + value + " cannot be used because " + plain(reason, names) + ". "
                        + plain(mend, names),
                cause);
        this.setting = names.apply(setting);
        this.value = value;
        this.reason = braced(reason, names);
        this.mend = braced(mend, names);
    }

    /**
     * {@return this problem in the words of another configuration, such as an application's properties}
     *
     * @param names turns the name of a setting into the name by which it was set
     */
    public InvalidSettingException named(UnaryOperator<String> names) {
        return new InvalidSettingException(setting, value, reason, mend, names, this);
    }

    /** {@return the name of the setting} */
    public String setting() {
        return setting;
    }

    /** {@return its value} */
    public String value() {
        return value;
    }

    /** {@return what is wrong with the value} */
    public String reason() {
        return plain(reason, name -> name);
    }

    /** {@return what to do} */
    public String mend() {
        return plain(mend, name -> name);
    }

    private static String plain(String text, UnaryOperator<String> names) {
        return NAME.matcher(text).replaceAll(found -> Matcher.quoteReplacement(names.apply(found.group(1))));
    }

    private static String braced(String text, UnaryOperator<String> names) {
        return plain(text, name -> "{" + names.apply(name) + "}");
    }
}
