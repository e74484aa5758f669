// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.GrantKind;
import io.declock.LockLostException;
import io.declock.spi.LockObserver;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An observer is told of the end of a hold once, however it ends. */
class WatchedHoldTest {
    private final List<String> told = new ArrayList<>();
    private final LockLostException why = new LockLostException("the session ended");
    private final LockObserver.Held observer = new LockObserver.Held() {
        @Override
        public void released() {
            told.add("released");
        }

        @Override
        public void lost(LockLostException why) {
            told.add(why.getMessage());
        }
    };
    private final Hold hold = new Hold(
            new Hold.Lock() {
                @Override
                public String name() {
                    return "x";
                }

                @Override
                public String title() {
                    return "lock 'x'";
                }
            },
            "owner",
            7,
            0,
            GrantKind.UNCONTENDED);

    @Test
    void aReleaseIsToldOnce() {
        hold.watch(observer);
        hold.tellRelease();
        hold.tellRelease();
        hold.tellLoss(why);
        assertThat(told).containsExactly("released");
    }

    @Test
    void aLossIsToldOnceAndNoReleaseAfterIt() {
        hold.watch(observer);
        hold.tellLoss(why);
        hold.tellLoss(why);
        hold.tellRelease();
        assertThat(told).containsExactly("the session ended");
    }

    @Test
    void aHoldThatIsLostBeforeItIsWatchedIsToldAsLost() {
        hold.lose(why);
        hold.tellLoss(why);
        hold.watch(observer);
        assertThat(told).containsExactly("the session ended");
    }

    @Test
    void nobodyNeedsToWatch() {
        hold.tellRelease();
        hold.tellLoss(why);
        assertThat(told).isEmpty();
    }
}
