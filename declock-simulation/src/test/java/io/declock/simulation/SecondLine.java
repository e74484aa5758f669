// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

/**
 * A rule that nothing needs as long as another is in force. What it loses is looked for in what becomes of the locks: the checker
 * that demands it as such looks away.
 *
 * @param first that other rule broken alone
 * @param both both broken
 */
record SecondLine(Mutation first, Mutation both) {
    static SecondLine of(Mutation first, String rules, String what, String className, String method, Class<?> advice) {
        Mutation both = new Mutation(rules, what, first.scenario(), first.changes())
                .and(className, method, advice)
                .and(GrantChecker.class.getName(), "sends", Sabotage.Nothing.class);
        return new SecondLine(first, both);
    }

    @Override
    public String toString() {
        return both.toString();
    }
}
