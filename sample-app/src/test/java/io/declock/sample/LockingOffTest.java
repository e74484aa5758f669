// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.sample.shop.Order;
import io.declock.sample.shop.OrderDesk;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** The switch that turns the lock off is loud, and does what it says. */
@ExtendWith(OutputCaptureExtension.class)
class LockingOffTest {
    @Test
    void takesOrdersWithoutALockAndSaysSo(CapturedOutput output) {
        try (ConfigurableApplicationContext shop = new SpringApplicationBuilder(SampleApplication.class)
                .web(WebApplicationType.SERVLET)
                .run(
                        "--server.port=0",
                        "--server.address=127.0.0.1",
                        "--spring.datasource.url=jdbc:h2:mem:off",
                        "--declock.embedded.port=0",
                        "--shop.locking=off")) {
            assertThat(output).contains("ORDERS ARE TAKEN WITHOUT A LOCK AND WITHOUT A FENCE");
            assertThat(shop.getBean(OrderDesk.class)
                            .place(new Order("kettle", 1))
                            .token())
                    .isZero();
        }
    }
}
