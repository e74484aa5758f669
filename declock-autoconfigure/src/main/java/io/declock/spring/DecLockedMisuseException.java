// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring;

import io.declock.DecLockException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A {@link DecLocked} that cannot work: its method would run without the lock, or its key cannot be determined. Thrown when the
 * application starts if the problem can be found then, otherwise when the method is called. Names the method and the expression.
 */
public class DecLockedMisuseException extends DecLockException {
    private static final long serialVersionUID = 1L;

    private final transient List<String> problems;

    /**
     * Makes one for a single problem.
     *
     * @param problem what cannot work
     * @param cause what caused it, or null
     */
    public DecLockedMisuseException(String problem, @Nullable Throwable cause) {
        super(problem, cause);
        this.problems = List.of(problem);
    }

    /**
     * Makes one for all problems found at start.
     *
     * @param problems what cannot work, one text each
     */
    public DecLockedMisuseException(List<String> problems) {
        super(
                problems.size() == 1
                        ? problems.get(0)
                        : problems.size() + " uses of @DecLocked cannot work:\n - " + String.join("\n - ", problems));
        this.problems = List.copyOf(problems);
    }

    /** {@return each problem in a sentence} */
    public List<String> problems() {
        return problems;
    }
}
