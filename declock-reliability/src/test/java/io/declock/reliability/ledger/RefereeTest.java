// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.simulation.Violation;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The referee sees each kind of violation, and counts sound sections. */
class RefereeTest {
    private static final AtomicInteger DATABASES = new AtomicInteger();

    @TempDir
    private Path directory;

    private String url;
    private Ledger one;
    private Ledger two;
    private Referee referee;

    @BeforeEach
    void open() throws IOException, SQLException {
        url = "jdbc:h2:mem:referee" + DATABASES.incrementAndGet() + ";DB_CLOSE_DELAY=-1";
        Accounts.create(url, 4);
        one = Ledger.create(directory.resolve("one.load.ledger"), 8);
        two = Ledger.create(directory.resolve("two.load.ledger"), 8);
        referee = new Referee(directory, url);
    }

    private static void section(Ledger ledger, int lock, boolean exclusive, long token, long from, long to) {
        Ledger.Section section = ledger.enter(lock, exclusive, token, 1, from - 5, from);
        section.validAt(to);
        section.left(false);
    }

    @Test
    void soundSectionsAreCounted() throws SQLException {
        section(one, 1, true, 10, 100, 200);
        section(two, 1, true, 11, 201, 300);
        section(one, 1, false, 12, 301, 400);
        section(two, 1, false, 12, 350, 450);
        section(two, 2, true, 1, 100, 450);
        Referee.Verdict verdict = referee.judge(320);
        assertThat(verdict.sections()).isEqualTo(5);
        assertThat(verdict.longestWaitNanos()).isEqualTo(5);
    }

    @Test
    void writersThatOverlapAreSeenEvenIfOneWasKilledInside() {
        Ledger.Section unfinished = one.enter(1, true, 10, 1, 90, 100);
        unfinished.validAt(200);
        section(two, 1, true, 11, 199, 300);
        assertThatThrownBy(() -> referee.judge(0)).isInstanceOf(Violation.class).hasMessageContaining("exclusion");
    }

    @Test
    void aReaderBesideAWriterIsSeen() {
        section(one, 1, false, 10, 100, 200);
        section(two, 1, true, 11, 150, 160);
        assertThatThrownBy(() -> referee.judge(0)).isInstanceOf(Violation.class).hasMessageContaining("exclusion");
    }

    @Test
    void aTokenThatDoesNotGrowIsSeenAlsoAcrossJudgements() throws SQLException {
        section(one, 1, true, 10, 100, 200);
        referee.judge(0);
        section(one, 1, true, 11, 201, 210);
        Ledger later;
        try {
            later = Ledger.create(directory.resolve("three.load.ledger"), 8);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        section(later, 1, true, 10, 300, 400);
        assertThatThrownBy(() -> referee.judge(0)).isInstanceOf(Violation.class).hasMessageContaining("token");
    }

    @Test
    void theDatabaseRefusesOldTokens() throws SQLException {
        try (Accounts accounts = new Accounts(url)) {
            assertThat(accounts.read(1, 5)).isZero();
            assertThat(accounts.read(1, 6)).isZero();
            assertThat(accounts.write(1, 5, "late", 0)).isFalse();
            assertThat(accounts.read(1, 5)).isEqualTo(-1);
            assertThat(accounts.write(1, 6, "in time", 0)).isTrue();
        }
        assertThat(referee.judge(0).bookings()).isEqualTo(1);
    }

    @Test
    void anUpdateThatWasLostIsSeen() throws SQLException {
        try (Accounts accounts = new Accounts(url)) {
            assertThat(accounts.write(1, 5, "one", 0)).isTrue();
            // Two with the same token, both of which have read 1: the database cannot tell them apart.
            assertThat(accounts.write(1, 6, "two", 1)).isTrue();
            assertThat(accounts.write(1, 6, "three", 1)).isTrue();
        }
        assertThatThrownBy(() -> referee.judge(0)).hasMessageContaining("an update was lost");
    }
}
