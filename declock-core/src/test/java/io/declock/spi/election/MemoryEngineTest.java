// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi.election;

import org.junit.jupiter.api.Tag;

@Tag("slow")
final class MemoryEngineTest extends ElectionEngineContract {
    private final MemoryEngine.Shared shared = new MemoryEngine.Shared();

    @Override
    protected ElectionEngine open() {
        return new MemoryEngine(shared);
    }
}
