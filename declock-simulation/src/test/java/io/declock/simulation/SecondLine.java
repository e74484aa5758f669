// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

/**
 * A rule without visible effect as long as another rule is in force. Its loss must be seen in the state of the locks, so the checker that
 * demands the rule itself is switched off.
 *
 * @param first the other rule broken alone
 * @param both both rules broken
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
