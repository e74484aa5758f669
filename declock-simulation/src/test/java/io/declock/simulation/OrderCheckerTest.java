// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.LockMode;
import io.declock.protocols.LockOrder;
import io.declock.simulation.OrderChecker.Waiter;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What is a violation of a promised order: two groups, in which clients arrive by word 0 and lead by word 1. */
class OrderCheckerTest {
    private static final long LOCK = 0;

    private final OrderChecker checker = new OrderChecker(new TwoGroups());

    @Test
    void aWriterDoesNotPassAnotherOneOfItsGroup() {
        arrive(local(1));
        arrive(local(2));
        assertViolation(() -> grant(local(2)), "client 2 has lock 0 before client 1");
    }

    @Test
    void readersOfOneGroupPassEachOther() {
        arrive(new Waiter(1, true, LockMode.READ));
        arrive(new Waiter(2, true, LockMode.READ));
        assertHolds(() -> grant(new Waiter(2, true, LockMode.READ)));
    }

    @Test
    void readersAndWritersOfOneGroupDoNotPassEachOther() {
        arrive(new Waiter(1, true, LockMode.READ));
        arrive(local(2));
        arrive(new Waiter(3, true, LockMode.READ));
        assertViolation(() -> grant(local(2)), "client 2 has lock 0 before client 1");
        assertViolation(() -> grant(new Waiter(3, true, LockMode.READ)), "client 3 has lock 0 before client 2");
    }

    @Test
    void eachLockHasAnOrderOfItsOwn() {
        arrive(local(1));
        checker.changed(LOCK + 8, 0, 0, 1, local(2));
        assertHolds(() -> checker.granted(LOCK + 8, local(2)));
    }

    @Test
    void oneThatWasGrantedTheLockHasToComeAgain() {
        arriveAndGrant(local(1));
        assertViolation(() -> grant(local(1)), "has not come");
    }

    /** The order is asked about every one that came earlier, of any group, and is told what has happened since. */
    @Test
    void anOrderForbidsToPassByWhatHasHappenedSince() {
        List<String> asked = new ArrayList<>();
        boolean[] allowed = {true};
        OrderChecker asking = new OrderChecker(new TwoGroups() {
            @Override
            public boolean mayPass(io.declock.protocols.Waiter granted, io.declock.protocols.Waiter earlier) {
                asked.add(granted + " passes " + earlier);
                return allowed[0];
            }
        });
        asking.changed(LOCK, 0, 0, 1, local(1));
        asking.granted(LOCK, local(1));
        asking.changed(LOCK, 0, 0, 1, new Waiter(2, false, LockMode.READ));
        asking.released(LOCK, local(1));
        asking.changed(LOCK, 0, 0, 1, local(3));
        asking.granted(LOCK, local(3));
        asking.released(LOCK, local(3));
        asking.changed(LOCK, 0, 0, 1, local(4));
        allowed[0] = false;
        assertViolation(() -> asking.granted(LOCK, local(4)), "client 4 has lock 0 before client 2");
        assertThat(asked)
                .containsExactly(
                        new io.declock.protocols.Waiter(LockMode.WRITE, false, 0) + " passes "
                                + new io.declock.protocols.Waiter(LockMode.READ, true, 0),
                        new io.declock.protocols.Waiter(LockMode.WRITE, false, 0) + " passes "
                                + new io.declock.protocols.Waiter(LockMode.READ, true, 1));
    }

    @Test
    void aClientThatHasNotArrivedIsNotGrantedTheLock() {
        assertViolation(() -> grant(local(1)), "has not come");
    }

    @Test
    void aClientThatDoesNotLeadIsPassedOverByTheOtherGroup() {
        arrive(remote(1));
        for (int i = 0; i < 10; i++) {
            arriveAndGrant(local(2));
        }
        assertHolds(() -> grant(remote(1)));
    }

    @Test
    void aClientThatLeadsIsPassedOverAsOftenAsPromised() {
        arrive(remote(1));
        lead(remote(1));
        arriveAndGrant(local(2));
        arriveAndGrant(local(3));
        assertViolation(() -> arriveAndGrant(local(2)), "client 1 was passed over 3 times");
    }

    @Test
    void readersOfItsOwnGroupDoNotCountAgainstOneThatLeads() {
        Waiter leader = new Waiter(1, true, LockMode.READ);
        arrive(leader);
        lead(leader);
        for (int i = 0; i < 10; i++) {
            arriveAndGrant(new Waiter(2, true, LockMode.READ));
        }
        assertHolds(() -> grant(leader));
    }

    private void arriveAndGrant(Waiter waiter) {
        arrive(waiter);
        grant(waiter);
    }

    private void arrive(Waiter waiter) {
        checker.changed(LOCK, 0, 0, 1, waiter);
    }

    private void lead(Waiter waiter) {
        checker.changed(LOCK, 1, 0, 1, waiter);
    }

    private void grant(Waiter waiter) {
        checker.granted(LOCK, waiter);
    }

    private static Waiter local(int client) {
        return new Waiter(client, true, LockMode.WRITE);
    }

    private static Waiter remote(int client) {
        return new Waiter(client, false, LockMode.WRITE);
    }

    private static void assertHolds(ThrowingCallable what) {
        assertThatCode(what).doesNotThrowAnyException();
    }

    private static void assertViolation(ThrowingCallable what, String message) {
        assertThatThrownBy(what).isInstanceOf(Violation.class).hasMessageContaining(message);
    }

    private static class TwoGroups implements LockOrder {
        @Override
        public Step step(int word, long before, long after) {
            return word == 0 ? Step.ARRIVES : Step.LEADS;
        }

        @Override
        public int group(boolean local, LockMode mode) {
            return local ? 0 : 1;
        }

        @Override
        public int mostPassedOver() {
            return 2;
        }
    }
}
