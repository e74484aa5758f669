// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.election;

import io.declock.spi.election.ElectionEngine.Answer;
import io.declock.spi.election.ElectionEngine.Held;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An engine that answers only as a test tells it to, with the attempts that wait for an answer. */
class AskedEngine implements Attempts {
    final List<Ending<Answer>> acquires = new ArrayList<>();
    final List<Ending<Optional<Held>>> looks = new ArrayList<>();
    final List<Ending<Boolean>> renewals = new ArrayList<>();

    @Override
    public void acquire(Ending<Answer> ending) {
        acquires.add(ending);
    }

    @Override
    public void look(Ending<Optional<Held>> ending) {
        looks.add(ending);
    }

    @Override
    public void renew(long term, Ending<Boolean> ending) {
        renewals.add(ending);
    }

    @Override
    public void keep(long term, Map<String, Optional<byte[]>> changes, Ending<Boolean> ending) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void resign(long term, Runnable ended) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void watch(Runnable mayHaveEnded) {
        throw new UnsupportedOperationException();
    }

    @Override
    public String title() {
        return "the engine";
    }
}
