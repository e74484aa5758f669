// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.declock.sample.shop.Order;
import io.declock.sample.shop.OrderBook;
import io.declock.sample.shop.OrderDesk;
import io.declock.sample.shop.Receipt;
import io.declock.sample.shop.Sales;
import io.declock.sample.shop.SoldOutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.test.web.servlet.MockMvc;

/** One instance with everything: the lock by the embedded memory node, H2 in memory. */
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {
            "spring.datasource.url=jdbc:h2:mem:sample;DB_CLOSE_DELAY=-1",
            "declock.embedded.port=0",
            "shop.instance=one",
            "shop.products=2",
            "shop.stock=150"
        })
@AutoConfigureMockMvc
class SampleApplicationTest {
    private static final int CUSTOMERS = 8;
    private static final int ORDERS_EACH = 25;

    @Autowired
    private MockMvc web;

    @Autowired
    private OrderDesk desk;

    @Autowired
    private OrderBook orders;

    @Test
    void sellsExactlyWhatIsThere() throws Exception {
        LongAdder soldOut = new LongAdder();
        List<Receipt> receipts = new ArrayList<>();
        ExecutorService customers = Executors.newFixedThreadPool(CUSTOMERS);
        try {
            List<Future<List<Receipt>>> all = new ArrayList<>();
            for (int i = 0; i < CUSTOMERS; i++) {
                all.add(customers.submit(() -> shop(soldOut)));
            }
            for (Future<List<Receipt>> one : all) {
                receipts.addAll(one.get());
            }
        } finally {
            customers.shutdownNow();
        }

        Sales kettle = orders.sales().get(0);
        assertThat(kettle.stock()).isZero();
        assertThat(kettle.sold()).isEqualTo(150);
        assertThat(kettle.consistent()).isTrue();
        assertThat(receipts).hasSize(150).extracting(Receipt::token).doesNotHaveDuplicates();
        assertThat(soldOut.sum()).isEqualTo(CUSTOMERS * ORDERS_EACH - 150);
        // An order that left fewer pieces came later, and has the higher token.
        assertThat(receipts.stream()
                        .sorted((a, b) -> Integer.compare(b.left(), a.left()))
                        .map(Receipt::token))
                .isSorted();

        // The second time there is nothing left to enter.
        for (int i = 0; i < 2; i++) {
            web.perform(post("/products/" + kettle.product() + "/books"))
                    .andExpect(status().isOk())
                    .andExpect(jsonPath("$.pieces").value(150))
                    .andExpect(jsonPath("$.orders").value(150))
                    .andExpect(jsonPath("$.by").value("one"));
        }

        web.perform(get("/stats"))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.locking").value(true))
                .andExpect(jsonPath("$.sharedTokens").value(0))
                .andExpect(jsonPath("$.sales[0].sold").value(150))
                .andExpect(jsonPath("$.totals.stale").value(0));
    }

    private List<Receipt> shop(LongAdder soldOut) {
        List<Receipt> receipts = new ArrayList<>();
        for (int i = 0; i < ORDERS_EACH; i++) {
            try {
                receipts.add(desk.place(new Order("kettle", 1)));
            } catch (SoldOutException e) {
                soldOut.increment();
            }
        }
        return receipts;
    }

    @Test
    void showsAProductUnderTheReadLock() throws Exception {
        web.perform(get("/products/lamp"))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.stock").value(150));
    }

    @Test
    void tellsThePageAboutItself() {
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> web.perform(get("/live"))
                        .andExpect(status().isOk())
                        .andExpect(jsonPath("$.from").value("one"))
                        .andExpect(jsonPath("$.instances[0].name").value("one"))
                        .andExpect(jsonPath("$.instances[0].locking").value(true))
                        .andExpect(
                                jsonPath("$.instances[0].memoryNodes[0].state").value("UP"))
                        .andExpect(jsonPath("$.sales[1].product").value("lamp")));
    }

    @Test
    void servesThePageFromItsOwnFilesOnly() throws Exception {
        String page = web.perform(get("/index.html"))
                .andExpect(status().isOk())
                .andReturn()
                .getResponse()
                .getContentAsString();
        assertThat(page)
                .contains("shop.js")
                .contains("shop.css")
                .doesNotContain("//cdn")
                .doesNotContain("http:")
                .doesNotContain("https:");
        web.perform(get("/shop.js"))
                .andExpect(status().isOk())
                .andExpect(content().string(org.hamcrest.Matchers.not(org.hamcrest.Matchers.containsString("http"))));
    }
}
