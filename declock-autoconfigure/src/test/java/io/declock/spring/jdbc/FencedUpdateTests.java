// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

/** An update under an older token is refused; one under the same or a newer token is made. */
class FencedUpdateTests {
    private EmbeddedDatabase database;
    private JdbcTemplate jdbc;

    @BeforeEach
    void createTable() {
        database = new EmbeddedDatabaseBuilder()
                .setType(EmbeddedDatabaseType.H2)
                .generateUniqueName(true)
                .build();
        jdbc = new JdbcTemplate(database);
        jdbc.execute("create table stock (id int primary key, quantity int, note varchar(20), fence bigint not null)");
        jdbc.update("insert into stock values (1, 10, 'new', 0)");
    }

    @AfterEach
    void shutDown() {
        database.shutdown();
    }

    @Test
    void aNewerTokenWritesAndIsStored() {
        assertThat(sell(3).execute(jdbc, 100)).isEqualTo(1);
        assertThat(quantity()).isEqualTo(7);
        assertThat(jdbc.queryForObject("select fence from stock where id = 1", Long.class))
                .isEqualTo(100);
    }

    @Test
    void theSameTokenMayWriteAgain() {
        sell(3).execute(jdbc, 100);
        assertThat(sell(3).execute(jdbc, 100)).isEqualTo(1);
        assertThat(quantity()).isEqualTo(4);
    }

    @Test
    void anOlderTokenIsFencedOff() {
        sell(3).execute(jdbc, 100);
        assertThatExceptionOfType(FencedOffException.class)
                .isThrownBy(() -> sell(3).execute(jdbc, 99))
                .satisfies(fenced -> {
                    assertThat(fenced.token()).isEqualTo(99);
                    assertThat(fenced.stored()).isEqualTo(100);
                })
                .withMessageContaining("stock")
                .withMessageContaining("100");
        assertThat(quantity()).isEqualTo(7);
    }

    @Test
    void aClaimRefusesOlderWritersBeforeItsHolderHasWritten() {
        assertThat(sell(3).claim(jdbc, 100)).isEqualTo(1);
        assertThat(quantity()).isEqualTo(10);
        assertThatExceptionOfType(FencedOffException.class).isThrownBy(() -> sell(3).execute(jdbc, 99));
        assertThat(sell(3).execute(jdbc, 100)).isEqualTo(1);
        assertThatExceptionOfType(FencedOffException.class).isThrownBy(() -> sell(3).claim(jdbc, 99));
        assertThat(FencedUpdate.of("stock").where("id = ?", 2).claim(jdbc, 100)).isZero();
    }

    /** As with MySQL's default isolation, if the transaction has read anything before. */
    @Test
    void aHolderThatIsFencedOffLearnsItAlthoughItsTransactionReadsASnapshot() {
        JdbcOperations snapshot = mock(JdbcOperations.class);
        given(snapshot.queryForObject(anyString(), eq(Long.class), any(Object[].class)))
                .willReturn(90L);
        assertThatExceptionOfType(FencedOffException.class)
                .isThrownBy(() -> sell(3).claim(snapshot, 100))
                .withMessageContaining("a fencing token that is newer than 100");
        assertThat(sell(3).execute(snapshot, 100))
                .as("rows, which the condition may have kept from being changed")
                .isZero();
    }

    @Test
    void aConditionThatDoesNotHoldOrARowThatIsNotThereIsNoError() {
        assertThat(sell(11).execute(jdbc, 100)).isZero();
        assertThat(FencedUpdate.of("stock")
                        .set("quantity", 1)
                        .where("id = ?", 2)
                        .execute(jdbc, 100))
                .isZero();
        assertThat(quantity()).isEqualTo(10);
    }

    @Test
    void valuesMayBeNullAndTheColumnNamed() {
        jdbc.execute("alter table stock add column token bigint default 0 not null");
        assertThat(FencedUpdate.of("stock")
                        .fenceColumn("token")
                        .set("note", null)
                        .where("id = 1 or id = ?", 5)
                        .execute(jdbc, 7))
                .isEqualTo(1);
        assertThat(jdbc.queryForObject("select token from stock where id = 1", Long.class))
                .isEqualTo(7);
        assertThat(jdbc.queryForObject("select note from stock where id = 1", String.class))
                .isNull();
    }

    @Test
    void anUpdateOfEveryRowIsNotMadeByForgettingWhere() {
        assertThatIllegalStateException()
                .isThrownBy(() -> FencedUpdate.of("stock").set("quantity", 0).execute(jdbc, 1));
    }

    private static FencedUpdate sell(int amount) {
        return FencedUpdate.of("stock")
                .set("quantity", "quantity - ?", amount)
                .where("id = ?", 1)
                .onlyIf("quantity >= ?", amount);
    }

    private int quantity() {
        return jdbc.queryForObject("select quantity from stock where id = 1", Integer.class);
    }
}
