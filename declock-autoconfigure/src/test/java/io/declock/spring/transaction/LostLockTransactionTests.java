// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.declock.LockLostException;
import io.declock.spring.DecLockContext;
import io.declock.spring.DecLocked;
import io.declock.spring.DecLockedMisuseException;
import io.declock.spring.OnLost;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** A transaction whose lock was lost is rolled back. */
@ExtendWith(OutputCaptureExtension.class)
class LostLockTransactionTests {
    private final ApplicationContextRunner runner = NoteTable.contexts(Notes.class);

    @Test
    void aTransactionThatWouldBeCommittedAfterTheLossIsRolledBack() {
        runner.run(context -> {
            Notes notes = context.getBean(Notes.class);
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(notes::rollingBack)
                    .withMessageContaining("rolled back")
                    .withMessageContaining("note");
            assertThat(notes.rows()).isZero();
            assertThatExceptionOfType(LockLostException.class).isThrownBy(notes::throwing);
            assertThat(notes.rows()).isZero();
        });
    }

    @Test
    void whileTheLockIsHeldItIsCommitted() {
        runner.run(context -> {
            Notes notes = context.getBean(Notes.class);
            notes.quick();
            assertThat(notes.rows()).isOne();
        });
    }

    @Test
    void whereALossIsOnlyLoggedItIsCommitted() {
        runner.run(context -> {
            Notes notes = context.getBean(Notes.class);
            notes.logging();
            assertThat(notes.rows()).isOne();
        });
    }

    @Test
    void aLossAfterTheCommitIsOnlyLoggedWithRollBack(CapturedOutput output) {
        runner.run(context -> {
            Notes notes = context.getBean(Notes.class);
            TransactionTemplate transaction =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            notes.committingThenLosing(transaction);
            assertThat(notes.rows()).isOne();
            assertThat(output).contains("lost its lock after its transaction had been committed");
        });
    }

    @Test
    void withoutATransactionALossIsThrownWithRollBack() {
        runner.run(context -> assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(context.getBean(Notes.class)::withoutTransaction));
    }

    @Test
    void anOuterLockCountsAsWell() {
        runner.withBean(Outer.class).run(context -> {
            Notes notes = context.getBean(Notes.class);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(context.getBean(Outer.class)::call);
            assertThat(notes.rows()).isZero();
        });
    }

    @Test
    void transactionManagersOfTheApplicationsOwnMakingAskToo() {
        runner.withUserConfiguration(OwnManager.class).run(context -> {
            Notes notes = context.getBean(Notes.class);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(notes::rollingBack);
            assertThat(notes.rows()).isZero();
        });
    }

    @Test
    void theThreadIsInterruptedAndUsableAfterwards() {
        runner.run(context -> {
            Notes notes = context.getBean(Notes.class);
            long began = System.nanoTime();
            assertThatExceptionOfType(InterruptedException.class).isThrownBy(notes::waiting);
            assertThat(System.nanoTime() - began).isLessThan(TimeUnit.SECONDS.toNanos(30));
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
    }

    @Test
    void whatGoesOnAfterItsReturnCanNeitherBeRolledBackNorInterrupted() {
        runner.withBean(RollingStage.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(DecLockedMisuseException.class)
                        .hasMessageContaining("onLost = ROLL_BACK"));
        runner.withBean(InterruptedStage.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(DecLockedMisuseException.class)
                        .hasMessageContaining("interruptOnLost"));
    }

    @Test
    void aLockInsideACallersTransactionIsWarnedAboutOncePerMethod(CapturedOutput output) {
        runner.withBean(Caller.class).run(context -> {
            Caller caller = context.getBean(Caller.class);
            caller.readsOnly();
            caller.separately();
            assertThat(output).doesNotContain("that its caller has begun");
            caller.under();
            assertThat(output).doesNotContain("that its caller has begun");
            caller.inside();
            caller.inside();
            assertThat(output.getOut()
                            .split(
                                    "Notes.quick\\(\\) takes its lock inside a transaction that its caller has begun",
                                    -1))
                    .hasSize(2);
            // The other method's name comes from the transaction, which Spring names after it.
            assertThat(output)
                    .containsPattern("Notes\\.quick\\(\\) takes its lock inside a transaction .*Caller\\.inside");
        });
    }

    static class Caller {
        private final Notes notes;

        Caller(Notes notes) {
            this.notes = notes;
        }

        @Transactional
        public void inside() {
            notes.quick();
        }

        @Transactional(readOnly = true)
        public void readsOnly() {
            notes.reading();
        }

        @Transactional
        public void separately() {
            notes.separate();
        }

        /** The outer method has the same lock, and its transaction ends before that. */
        @DecLocked(name = "note")
        @Transactional
        public void under() {
            notes.quick();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnManager {
        @Bean
        PlatformTransactionManager manager(DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }
    }

    static class Notes extends NoteTable {
        Notes(JdbcTemplate jdbc) {
            super(jdbc);
        }

        private static void awaitLoss() throws InterruptedException {
            awaitLoss(DecLockContext.currentHandle());
        }

        @DecLocked(name = "note", leaseTime = "50ms", onLost = OnLost.ROLL_BACK)
        @Transactional
        public void rollingBack() throws InterruptedException {
            write();
            awaitLoss();
        }

        @DecLocked(name = "note", leaseTime = "50ms")
        @Transactional
        public void throwing() throws InterruptedException {
            write();
            awaitLoss();
        }

        @DecLocked(name = "note", onLost = OnLost.ROLL_BACK)
        @Transactional
        public void quick() {
            write();
        }

        @DecLocked(name = "note")
        public void reading() {}

        @DecLocked(name = "note")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void separate() {}

        @DecLocked(name = "note", leaseTime = "50ms", onLost = OnLost.LOG)
        @Transactional
        public void logging() throws InterruptedException {
            write();
            awaitLoss();
        }

        @DecLocked(name = "note", leaseTime = "2s", onLost = OnLost.ROLL_BACK)
        public void committingThenLosing(TransactionTemplate transaction) throws InterruptedException {
            transaction.executeWithoutResult(status -> write());
            awaitLoss();
        }

        @DecLocked(name = "note", leaseTime = "50ms", onLost = OnLost.ROLL_BACK)
        public void withoutTransaction() throws InterruptedException {
            awaitLoss();
        }

        @DecLocked(name = "inner")
        @Transactional
        public void inner() throws InterruptedException {
            write();
        }

        @DecLocked(name = "note", leaseTime = "50ms", interruptOnLost = true)
        public void waiting() throws InterruptedException {
            TimeUnit.SECONDS.sleep(60);
        }
    }

    static class Outer {
        private final Notes notes;

        Outer(Notes notes) {
            this.notes = notes;
        }

        @DecLocked(name = "outer", leaseTime = "50ms")
        public void call() throws InterruptedException {
            Notes.awaitLoss();
            notes.inner();
        }
    }

    static class RollingStage {
        @DecLocked(name = "stage", onLost = OnLost.ROLL_BACK)
        public CompletableFuture<String> call() {
            return CompletableFuture.completedFuture("done");
        }
    }

    static class InterruptedStage {
        @DecLocked(name = "stage", interruptOnLost = true)
        public CompletableFuture<String> call() {
            return CompletableFuture.completedFuture("done");
        }
    }
}
