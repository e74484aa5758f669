// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.local.LocalSettings;
import io.declock.protocol.CqlLock;
import java.util.IdentityHashMap;
import java.util.Map;

/** Once a remote waiter is known, a compute node hands over locally a bounded number of times, whatever its clock says. */
final class LocalRunChecker {
    private static final class Run {
        private long epoch = -1;
        private int index = -1;
        private int allowed;
    }

    private final LocalSettings settings;
    private final Map<CqlLock, Run> runs = new IdentityHashMap<>();

    LocalRunChecker(LocalSettings settings) {
        this.settings = settings;
    }

    /** Looks at a compute node after an event. */
    void observe(SimulatedComputeNode node) {
        node.eachRemote((lock, remote) -> {
            if (remote.state() != CqlLock.State.HELD) {
                runs.remove(remote);
                return;
            }
            Run run = runs.computeIfAbsent(remote, fresh -> new Run());
            int grants = remote.tenure().localGrants();
            if (run.epoch != remote.epoch()
                    || run.index != remote.index()
                    || !remote.tenure().knowsRemote()) {
                run.epoch = remote.epoch();
                run.index = remote.index();
                run.allowed = Math.max(settings.localHandOverLimit(), grants);
            } else if (grants > run.allowed) {
                throw new Violation(
                        "local run",
                        node + " handed " + lock + " over " + grants + " times although somebody else waits");
            }
        });
    }
}
