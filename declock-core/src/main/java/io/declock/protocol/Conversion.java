// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocol;

import io.declock.fabric.Purpose;
import io.declock.fabric.VerbResults;
import io.declock.layout.LockHeader;
import io.declock.protocol.LockChain.Step;

/**
 * Turning a position that holds the lock into one of the other mode (rule D3 of docs/protocol.md): a downgrade lets the readers
 * right behind in, an upgrade is possible only if there is no other position. Guarded by the lock's mutex.
 */
final class Conversion {
    private final CqlUpper upper;
    private final Position position;
    private final Tenure tenure;
    private final ResetMember reset;
    private final Successors successors;
    private final LockChain op;

    Conversion(
            CqlUpper upper, Position position, Tenure tenure, ResetMember reset, Successors successors, LockChain op) {
        this.upper = upper;
        this.position = position;
        this.tenure = tenure;
        this.reset = reset;
        this.successors = successors;
        this.op = op;
    }

    void startDowngrade(Effects effects) {
        position.beginConversion();
        op.use(Step.DOWNGRADED, effects)
                .begin(Purpose.CONVERT)
                .fetchAndAdd(position.header(), LockHeader.downgrade())
                .read(position.record(), position.words());
    }

    void onDowngraded(VerbResults results, Effects effects) {
        position.endConversion();
        position.toMode(false);
        tenure.forgetRemote();
        long found = results.value(0);
        HandOver readers = Successors.mayGrantAfter(found)
                ? HandOver.afterDowngrade(position.layout(), position.epoch(), found, position.index())
                : null;
        if (readers != null) {
            successors.grant(readers, results, 1, effects);
        }
        upper.settled(effects);
    }

    void startUpgrade(Effects effects) {
        position.beginConversion();
        op.use(Step.UPGRADE_READ, effects).begin(Purpose.CONVERT).read(position.header(), 1);
    }

    void onUpgradeRead(VerbResults results, Effects effects) {
        long header = results.value(0);
        if (!isAlone(header) || reset.isPending() || !tenure.canUpgradeTo(LockHeader.head(header))) {
            endUpgrade(false, effects);
            return;
        }
        op.goingBy(header)
                .use(Step.UPGRADE_SWAPPED, effects)
                .begin(Purpose.CONVERT)
                .compareAndSwap(position.header(), header, header - LockHeader.downgrade());
    }

    private boolean isAlone(long header) {
        return position.mayCas(header) && LockHeader.size(header) == 1 && LockHeader.writers(header) == 0;
    }

    void onUpgradeSwapped(VerbResults results, Effects effects) {
        if (results.value(0) != op.header()) {
            onUpgradeRead(results, effects);
            return;
        }
        position.toMode(true);
        position.toIndex(LockHeader.head(op.header()));
        tenure.upgrade(position.index());
        endUpgrade(true, effects);
    }

    private void endUpgrade(boolean success, Effects effects) {
        position.endConversion();
        upper.upgraded(success, effects);
    }
}
