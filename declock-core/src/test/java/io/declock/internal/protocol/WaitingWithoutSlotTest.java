// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.Purpose;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** More compute nodes wait than the queue has slots (rule A9). */
class WaitingWithoutSlotTest {
    private final DrivenLock driven = new DrivenLock();

    /** Takes position 10 of a queue with eight slots. */
    private void waitAtTen(int head) {
        driven.ask(effects -> driven.lock.acquire(true, 0, effects));
        driven.complete(Purpose.ACQUIRE, header(head, 10 - head));
        driven.assertState(PositionState.WAITING);
    }

    private static long header(int head, int size) {
        return LockHeader.pack(DrivenLock.EPOCH, head, size, size);
    }

    private void check() {
        driven.now += Duration.ofSeconds(1).toNanos();
        driven.lock.due(LockTimer.SELF_CHECK, 0);
    }

    @Test
    void writesItsEntryAtOnceIfItsSlotIsFree() {
        waitAtTen(3);
        assertThat(driven.posted).extracting(chain -> chain.purpose()).containsExactly(Purpose.ENTRY);
    }

    @Test
    void waitsWithoutAnEntryAndWithoutAReset() {
        waitAtTen(2);
        assertThat(driven.posted).isEmpty();
        assertThat(driven.resetsAskedFor).isEmpty();
        check();
        driven.complete(Purpose.SELF_CHECK, header(2, 11));
        assertThat(driven.posted).isEmpty();
    }

    @Test
    void writesItsEntryOnceTheHeadShowsThatItsSlotIsFree() {
        waitAtTen(0);
        check();
        driven.complete(Purpose.SELF_CHECK, header(3, 8));
        assertThat(driven.posted).singleElement().satisfies(chain -> {
            assertThat(chain.purpose()).isEqualTo(Purpose.ENTRY);
            assertThat(chain.address(0)).isEqualTo(driven.layout().entry(0, 10));
            assertThat(QueueEntry.isValid(chain.writeWord(0, 0), driven.layout().version(10), DrivenLock.EPOCH))
                    .isTrue();
        });
    }

    @Test
    void findsItsGrantWithoutAnEntry() {
        waitAtTen(0);
        check();
        driven.complete(Purpose.SELF_CHECK, header(10, 1));
        driven.assertState(PositionState.HELD);
        assertThat(driven.posted).isEmpty();
    }

    @Test
    void anOverfullQueueIsReset() {
        driven.ask(effects -> driven.lock.acquire(true, 0, effects));
        driven.complete(Purpose.ACQUIRE, header(0, QueueEntry.MAX_NODE_ID + 1));
        assertThat(driven.resetsAskedFor).containsExactly(ResetReason.OVERFLOW);
    }

    @Test
    void looksAgainAfterAPartOfTheTimeThatTheQueueNeeds() {
        Waiting waiting = new Waiting();
        long interval = 10_000_000;
        waiting.begin(0);
        waiting.sees(0, 800, 807, 0);
        assertThat(waiting.untilCheck(interval, 0)).as("soon").isEqualTo(interval / 8);
        waiting.sees(5, 795, 802, 3_000_000);
        assertThat(waiting.untilCheck(interval, 3_000_000))
                .as("its speed is not known yet")
                .isEqualTo(3_000_000);
        waiting.sees(20, 780, 787, 4_000_000);
        assertThat(waiting.untilCheck(interval, 4_000_000)).isEqualTo(200_000 * 780 / 4);
        waiting.sees(40, 760, 767, 5_000_000);
        assertThat(waiting.untilCheck(interval, 5_000_000)).as("faster").isEqualTo(50_000 * 760 / 4);
        waiting.sees(60, 740, 747, 25_000_000);
        assertThat(waiting.untilCheck(interval, 25_000_000))
                .as("as fast as it ever was")
                .isEqualTo(50_000 * 740 / 4);
        waiting.sees(60, 740, 747, 35_000_000);
        assertThat(waiting.untilCheck(interval, 35_000_000))
                .as("it stands still")
                .isEqualTo(2 * 50_000 * 740 / 4);
        waiting.sees(60, 740, 747, 50_000_000);
        waiting.sees(60, 740, 747, 90_000_000);
        waiting.sees(60, 740, 747, 190_000_000);
        waiting.sees(60, 740, 747, 390_000_000);
        assertThat(waiting.untilCheck(interval, 390_000_000))
                .as("no longer than others back off")
                .isEqualTo(16 * interval);
        waiting.sees(800, 0, 7, 400_000_000);
        assertThat(waiting.hasSlot()).isTrue();
        assertThat(waiting.untilCheck(interval, 400_000_000))
                .as("until its turn")
                .isEqualTo(interval / 8);
    }

    @Test
    void looksSeldomFarBehindInASlowQueue() {
        Waiting waiting = new Waiting();
        long interval = 10_000_000;
        waiting.begin(0);
        waiting.sees(0, 800, 807, 0);
        waiting.sees(20, 780, 787, 40_000_000);
        assertThat(waiting.untilCheck(interval, 40_000_000))
                .as("longer than others back off")
                .isEqualTo(2_000_000 * 780 / 4);
        waiting.sees(100, 700, 707, 2_040_000_000);
        assertThat(waiting.untilCheck(interval, 2_040_000_000)).as("slower").isEqualTo(2_000_000 * 700 / 4);
        Waiting slowest = new Waiting();
        slowest.begin(0);
        slowest.sees(0, 800, 807, 0);
        slowest.sees(20, 780, 787, 2_000_000_000);
        assertThat(slowest.untilCheck(interval, 2_000_000_000))
                .as("a second at most")
                .isEqualTo(1_000_000_000);
        slowest.sees(544, 256, 263, 54_400_000_000L);
        assertThat(slowest.untilCheck(interval, 54_400_000_000L)).isEqualTo(1_000_000_000);
        slowest.sees(545, 255, 262, 54_500_000_000L);
        assertThat(slowest.untilCheck(interval, 54_500_000_000L)).as("nearer").isEqualTo(16 * interval);
    }

    @Test
    void othersBackOff() {
        Waiting waiting = new Waiting();
        waiting.begin(0);
        waiting.sees(0, -5, 2, 0);
        waiting.countCheck();
        assertThat(waiting.untilCheck(10_000_000, 0)).isEqualTo(20_000_000);
    }

    @Test
    void forgetsHowFastTheQueueWasWithoutEverTakingItForFast() {
        Waiting waiting = new Waiting();
        waiting.begin(0);
        waiting.sees(0, 800, 807, 0);
        waiting.sees(20, 780, 787, 1_000_000);
        for (int i = 0; i < 60; i++) {
            waiting.begin(2_000_000);
        }
        waiting.sees(20, 780, 787, 2_000_000);
        assertThat(waiting.untilCheck(10_000_000, 2_000_000)).isEqualTo(160_000_000);
    }
}
