// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willThrow;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.declock.LockLostException;
import io.declock.LockNotGrantedException;
import io.declock.MemoryNodeUnavailableException;
import io.declock.spring.jdbc.FencedOffException;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.ResultActions;

/** The answers that customers get. */
@WebMvcTest(ShopController.class)
@Import(Turnover.class)
class ShopControllerTest {
    private static final Order ORDER = new Order("kettle", 2);

    @Autowired
    private MockMvc web;

    @Autowired
    private Turnover turnover;

    @MockitoBean
    private OrderDesk desk;

    @MockitoBean
    private OrderBook orders;

    @MockitoBean
    private Bookkeeper bookkeeper;

    private ResultActions order(String body) throws Exception {
        return web.perform(
                post("/orders").contentType(MediaType.APPLICATION_JSON).content(body));
    }

    private ResultActions order() throws Exception {
        return order("{\"product\":\"kettle\",\"quantity\":2}");
    }

    @Test
    void accepts() throws Exception {
        given(desk.place(ORDER)).willReturn(new Receipt("kettle", 2, 8, 77));
        long before = turnover.accepted();

        order().andExpect(status().isCreated())
                .andExpect(content().json("{\"product\":\"kettle\",\"quantity\":2,\"left\":8,\"token\":77}"));
        Assertions.assertThat(turnover.accepted()).isEqualTo(before + 1);
    }

    @Test
    void saysThatItIsSoldOut() throws Exception {
        given(desk.place(ORDER)).willThrow(new SoldOutException(ORDER, 1));

        order().andExpect(status().isConflict())
                .andExpect(jsonPath("$.title").value("Sold out"))
                .andExpect(jsonPath("$.detail").value("There are 1 of 'kettle' left, 2 were ordered"));
    }

    @Test
    void saysWhatIsWrongWithAnOrder() throws Exception {
        order("{\"product\":\"kettle\",\"quantity\":0}")
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.detail").value("quantity must be 1 to 100, not 0"));
        order("{\"product\":\" \",\"quantity\":1}")
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.detail").value("an order needs a product"));
        order("{").andExpect(status().isBadRequest());
        order("{\"product\":\"ket\\u0000tle\",\"quantity\":1}")
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.detail")
                        .value("a product's id consists of at most 40 letters, digits and hyphens"));
    }

    @Test
    void asksForNoLockWhoseNameACustomerMadeUp() throws Exception {
        given(desk.show(any())).willThrow(new IllegalArgumentException("a lock name must not contain it"));
        web.perform(get("/products/{id}", "ket\0tle"))
                .andExpect(status().isNotFound())
                .andExpect(jsonPath("$.title").value("Unknown product"));
    }

    @Test
    void asksToComeAgainWhenTheLockIsNotToBeHad() throws Exception {
        willThrow(new LockNotGrantedException("busy")).given(desk).place(any());
        order().andExpect(status().isServiceUnavailable()).andExpect(header().string("Retry-After", "1"));

        willThrow(new MemoryNodeUnavailableException("gone")).given(desk).place(any());
        order().andExpect(status().isServiceUnavailable())
                .andExpect(jsonPath("$.detail").value("gone"));
    }

    @Test
    void saysThatAnOrderWasRolledBack() throws Exception {
        given(desk.place(ORDER)).willThrow(new LockLostException("lost"));
        long before = turnover.lost();

        order().andExpect(status().isServiceUnavailable())
                .andExpect(header().string("Retry-After", "1"))
                .andExpect(jsonPath("$.title").value("Lock lost"));
        Assertions.assertThat(turnover.lost()).isEqualTo(before + 1);
    }

    @Test
    void saysThatTheLockWasLost() throws Exception {
        given(desk.place(ORDER)).willThrow(new FencedOffException("kettle", 4, 5));
        long before = turnover.stale();

        order().andExpect(status().isServiceUnavailable())
                .andExpect(jsonPath("$.title").value("Lock lost"));
        Assertions.assertThat(turnover.stale()).isEqualTo(before + 1);
    }

    @Test
    void showsProducts() throws Exception {
        given(desk.show("kettle")).willReturn(new Product("kettle", "Kettle", 10, 7));
        given(desk.show("yacht")).willThrow(new UnknownProductException("yacht"));
        given(orders.products()).willReturn(List.of(new Product("kettle", "Kettle", 10, 7)));

        web.perform(get("/products/kettle"))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.stock").value(7));
        web.perform(get("/products/yacht")).andExpect(status().isNotFound());
        web.perform(get("/products"))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$[0].id").value("kettle"));
    }
}
