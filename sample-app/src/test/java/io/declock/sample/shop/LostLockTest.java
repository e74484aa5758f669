// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.BDDMockito.willCallRealMethod;

import io.declock.LockLostException;
import io.declock.spring.test.FailOnLeakedLocks;
import io.declock.spring.test.TestLocks;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;

/** The lock goes in the middle of an order, with its session: the order is rolled back, nothing is sold. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "spring.datasource.url=jdbc:h2:mem:lost;DB_CLOSE_DELAY=-1",
            "shop.instance=one",
            "shop.products=1",
            "shop.stock=10"
        })
@FailOnLeakedLocks
class LostLockTest {
    @Autowired
    private OrderDesk desk;

    @MockitoSpyBean
    private OrderBook orders;

    @Autowired
    private TestLocks locks;

    @Test
    void anOrderWhoseLockIsLostIsRolledBackAndTheNextOneIsTaken() {
        Order order = new Order("kettle", 3);
        Receipt first = desk.place(order);
        assertThat(first.left()).isEqualTo(7);

        willAnswer(call -> {
                    Object receipt = call.callRealMethod();
                    locks.loseAll();
                    return receipt;
                })
                .given(orders)
                .sell(any(), anyLong());
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> desk.place(order))
                .withMessageContaining("rolled back")
                .withMessageContaining("product:kettle");
        assertThat(orders.find("kettle").stock()).isEqualTo(7);
        assertThat(orders.sales().get(0).orders()).isEqualTo(1);

        willCallRealMethod().given(orders).sell(any(), anyLong());
        Receipt second = desk.place(order);
        assertThat(second.left()).isEqualTo(4);
        assertThat(second.token()).isGreaterThan(first.token());
    }
}
