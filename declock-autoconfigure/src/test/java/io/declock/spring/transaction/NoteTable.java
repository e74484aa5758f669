// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.LockHandle;
import io.declock.spring.Contexts;
import io.declock.spring.autoconfigure.DecLockTransactionAutoConfiguration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.core.JdbcTemplate;

/** A bean whose locked methods write into a table, in a context with transactions and a database of its own. */
abstract class NoteTable {
    private final JdbcTemplate jdbc;

    NoteTable(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
        jdbc.execute("create table note (text varchar(100))");
    }

    /** Returns contexts with transactions and with that bean. */
    static ApplicationContextRunner contexts(Class<? extends NoteTable> notes) {
        return Contexts.locks()
                .withConfiguration(AutoConfigurations.of(
                        DecLockTransactionAutoConfiguration.class,
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        JdbcTemplateAutoConfiguration.class,
                        TransactionAutoConfiguration.class))
                .withPropertyValues("spring.datasource.generate-unique-name=true")
                .withBean(notes);
    }

    static void awaitLoss(LockHandle handle) throws InterruptedException {
        CountDownLatch lost = new CountDownLatch(1);
        handle.onLost((held, why) -> lost.countDown());
        assertThat(lost.await(20, TimeUnit.SECONDS)).isTrue();
    }

    public int rows() {
        Integer rows = jdbc.queryForObject("select count(*) from note", Integer.class);
        return rows == null ? -1 : rows;
    }

    void write() {
        jdbc.update("insert into note values ('written')");
    }
}
