// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi.election;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The settings of an engine as they are read: each is taken once, and what is left over is unknown. Not thread-safe. */
public final class ElectionSettings {
    private final Map<String, String> left;
    private final Set<String> known = new TreeSet<>();

    /**
     * Begins to read.
     *
     * @param settings the settings by name
     */
    public ElectionSettings(Map<String, String> settings) {
        this.left = new HashMap<>(settings);
    }

    /**
     * {@return a setting that must be there}
     *
     * @param name its name
     * @param example a value, for the message
     * @throws InvalidElectionSettingException if it is not there or empty
     */
    public String required(String name, String example) throws InvalidElectionSettingException {
        String value = optional(name, "");
        if (value.isEmpty()) {
            throw new InvalidElectionSettingException(
                    name, "is not set", "Set it, for example to '" + example + "'.", null);
        }
        return value;
    }

    /**
     * {@return a setting}
     *
     * @param name its name
     * @param otherwise the value if it is not there or empty
     */
    public String optional(String name, String otherwise) {
        known.add(name);
        String value = left.remove(name);
        return value == null || value.isBlank() ? otherwise : value.trim();
    }

    /**
     * Ends reading.
     *
     * @throws InvalidElectionSettingException if there is a setting that was not read
     */
    public void end() throws InvalidElectionSettingException {
        for (String name : new TreeSet<>(left.keySet())) {
            throw new InvalidElectionSettingException(
                    name, "is not known", "Remove it. Known are: " + String.join(", ", known) + ".", null);
        }
    }
}
