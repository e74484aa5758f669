// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.Purpose;
import io.declock.TcpFabricSettings;
import io.declock.internal.layout.RecordLayout;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spi.FabricContract;
import io.declock.spi.FabricRig;
import io.declock.spi.FabricSession;
import io.declock.spi.TestChain;
import io.declock.spi.ValueReading;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TcpFabricTest extends FabricContract {
    private static final RecordLayout LAYOUT = new RecordLayout(settings().queueCapacity());

    @Override
    protected FabricRig start(MemoryNodeSettings settings) {
        return new TcpRig(settings, time, MemoryNodeServerSettings.builder(), TcpFabricSettings.DEFAULTS);
    }

    /** So a lock that is found free, and its value, cost one round trip (rule V3). */
    @Test
    void aReadingOfAValueFollowsTheChainsThatWerePostedBeforeIt() throws Exception {
        FabricSession session = join("a").session();
        long record = get(session.control().resolve("ns:x")).record();
        List<CompletionStage<ValueReading>> readings = new ArrayList<>();
        List<TestChain> chains = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            TestChain chain = TestChain.forPurpose(Purpose.ACQUIRE);
            chain.fetchAndAdd(LAYOUT.header(record), 1);
            chains.add(chain);
            session.memory().post(chain);
            readings.add(session.control().readValue(record));
            if (i % 10 == 0) {
                get(readings.get(i));
            }
        }
        for (int i = 0; i < readings.size(); i++) {
            long found = chains.get(i).future().get(10, TimeUnit.SECONDS)[0][0];
            assertThat(get(readings.get(i)).header())
                    .as("header of reading %d", i)
                    .isGreaterThan(found);
        }
    }
}
