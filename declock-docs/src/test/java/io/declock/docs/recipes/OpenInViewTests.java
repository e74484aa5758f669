// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.spring.DecLocked;
import io.declock.spring.test.DecLockTest;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.orm.jpa.support.OpenEntityManagerInViewInterceptor;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.context.request.ServletWebRequest;

@DecLockTest(properties = {"spring.datasource.generate-unique-name=true", "spring.jpa.hibernate.ddl-auto=create"})
@Import(OpenInViewTests.Seats.class)
@ImportAutoConfiguration({
    DataSourceAutoConfiguration.class,
    JdbcTemplateAutoConfiguration.class,
    HibernateJpaAutoConfiguration.class
})
@EntityScan(basePackageClasses = OpenInViewTests.class)
class OpenInViewTests {
    @Entity(name = "Flight")
    static class Flight {
        @Id
        long id;

        int seats;
    }

    @Service
    static class Seats {
        private final EntityManager entities;

        Seats(EntityManager entities) {
            this.entities = entities;
        }

        int look(long id) {
            return entities.find(Flight.class, id).seats;
        }

        // tag::stale[]
        @DecLocked(name = "flight", key = "#id")
        @Transactional
        public void bookStale(long id) {
            Flight flight = entities.find(Flight.class, id); // of this request, read before the lock: may be old
            flight.seats--;
        }
        // end::stale[]

        // tag::refresh[]
        @DecLocked(name = "flight", key = "#id")
        @Transactional
        public void book(long id) {
            Flight flight = entities.find(Flight.class, id);
            entities.refresh(flight); // what the holder before has committed
            flight.seats--;
        }
        // end::refresh[]
    }

    @Autowired
    private Seats seats;

    @Autowired
    private EntityManagerFactory factory;

    @Autowired
    private JdbcTemplate jdbc;

    @BeforeEach
    void tenSeats() {
        jdbc.update("delete from flight");
        jdbc.update("insert into flight (id, seats) values (1, 10)");
    }

    @Test
    void anEntityOfTheOpenViewIsOlderThanTheLock() {
        assertThat(afterTwoBookings(() -> seats.bookStale(1))).isEqualTo(9);
    }

    @Test
    void aRefreshedEntityIsNot() {
        assertThat(afterTwoBookings(() -> seats.book(1))).isEqualTo(8);
    }

    /** A request reads the flight, another one books a seat, and then the first one does. */
    private int afterTwoBookings(Runnable booking) {
        inOneRequest(() -> {
            assertThat(seats.look(1)).isEqualTo(10);
            CompletableFuture.runAsync(() -> seats.book(1)).join();
            booking.run();
        });
        return jdbc.queryForObject("select seats from flight where id = 1", Integer.class);
    }

    /** As Spring Boot does for each request, unless spring.jpa.open-in-view is false. */
    private void inOneRequest(Runnable handler) {
        OpenEntityManagerInViewInterceptor view = new OpenEntityManagerInViewInterceptor();
        view.setEntityManagerFactory(factory);
        ServletWebRequest request = new ServletWebRequest(new MockHttpServletRequest());
        view.preHandle(request);
        try {
            handler.run();
        } finally {
            view.afterCompletion(request, null);
        }
    }
}
