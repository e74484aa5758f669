// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockNotGrantedException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.LockScope;
import io.declock.spring.Contexts;
import io.declock.spring.DecLockContext;
import io.declock.spring.DecLocked;
import io.declock.spring.DecLockedMisuseException;
import io.declock.spring.OnLost;
import io.declock.spring.Release;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** A lock that stays held until the caller's transaction has ended. */
@ExtendWith(OutputCaptureExtension.class)
class KeptLockTests {
    private final ApplicationContextRunner runner =
            NoteTable.contexts(Notes.class).withBean(Caller.class);

    @Test
    void theLockIsHeldUntilTheCallersTransactionHasEnded(CapturedOutput output) {
        runner.run(context -> {
            Notes notes = context.getBean(Notes.class);
            context.getBean(Caller.class).write();
            assertThat(notes.isFree()).isTrue();
            assertThat(notes.rows()).isOne();
            assertThat(output).doesNotContain("that its caller has begun");
        });
    }

    @Test
    void theLockOfACallThatFailedIsHeldAsWell() {
        runner.run(context -> {
            Notes notes = context.getBean(Notes.class);
            context.getBean(Caller.class).handleFailure();
            assertThat(notes.isFree()).isTrue();
        });
    }

    @Test
    void aTransactionThatIsRolledBackGivesTheLockBack() {
        runner.run(context -> {
            Notes notes = context.getBean(Notes.class);
            assertThatExceptionOfType(IllegalStateException.class).isThrownBy(context.getBean(Caller.class)::rollBack);
            assertThat(notes.isFree()).isTrue();
            assertThat(notes.rows()).isZero();
        });
    }

    @Test
    void aLockIsKeptForTheTransactionInsideOfAStageToo() {
        runner.run(context -> {
            LockOwner stage = LockOwner.named("a stage");
            try (LockHandle handle =
                            context.getBean(DistributedReadWriteLock.class).acquire(LockRequest.write("stage"), stage);
                    DecLockContext.Scope scope = DecLockContext.enter(
                            LockScope.of(context.getBean(DistributedReadWriteLock.class), handle, stage, null))) {
                context.getBean(Caller.class).severalTimes();
                assertThat(scope.hasCommitted()).isTrue();
            }
            Notes notes = context.getBean(Notes.class);
            assertThat(notes.rows()).isEqualTo(3);
            assertThat(notes.isFree()).isTrue();
        });
    }

    @Test
    void withoutATransactionOrWithOneOfItsOwnTheLockIsGivenBackAtOnce() {
        runner.run(context -> {
            Notes notes = context.getBean(Notes.class);
            notes.kept();
            assertThat(notes.isFree()).isTrue();
            context.getBean(Caller.class).separately();
        });
    }

    @Test
    void aLossBeforeTheCommitRollsBack() {
        runner.run(context -> {
            Notes notes = context.getBean(Notes.class);
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(context.getBean(Caller.class)::loseAfterwards)
                    .withMessageContaining("Notes.bounded()")
                    .withMessageContaining("rolled back");
            assertThat(notes.rows()).isZero();
        });
    }

    @Test
    void aLossBeforeTheCommitIsOnlyLoggedWhereTheMethodSaysSo(CapturedOutput output) {
        runner.run(context -> {
            Notes notes = context.getBean(Notes.class);
            context.getBean(Caller.class).loseAndLog();
            assertThat(notes.rows()).isOne();
            assertThat(output).contains("Notes.logging() had lost its lock");
        });
    }

    @Test
    void aCallThatGivesItsLockBackTooEarlyCanBeRefused() {
        runner.withPropertyValues("declock.aop.callers-transaction=fail").run(context -> {
            Notes notes = context.getBean(Notes.class);
            assertThatExceptionOfType(DecLockedMisuseException.class)
                    .isThrownBy(context.getBean(Caller.class)::early)
                    .withMessageContaining("Notes.early()")
                    .withMessageContaining("Caller.early")
                    .withMessageContaining("AFTER_COMPLETION");
            context.getBean(Caller.class).write();
            assertThat(notes.rows()).isOne();
        });
    }

    @Test
    void aCallThatGivesItsLockBackTooEarlyCanBeAllowed(CapturedOutput output) {
        runner.withPropertyValues("declock.aop.callers-transaction=ignore").run(context -> {
            context.getBean(Caller.class).early();
            assertThat(output).doesNotContain("that its caller has begun");
        });
    }

    @Test
    void aMethodThatReturnsAStageIsRefused() {
        Contexts.locks()
                .withBean(Stages.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(DecLockedMisuseException.class)
                        .hasMessageContaining("release = AFTER_COMPLETION"));
    }

    static class Stages {
        @DecLocked(name = "note", release = Release.AFTER_COMPLETION)
        public CompletableFuture<String> later() {
            return CompletableFuture.completedFuture("later");
        }
    }

    static class Caller {
        private final Notes notes;

        Caller(Notes notes) {
            this.notes = notes;
        }

        @Transactional
        public void severalTimes() {
            notes.kept();
            notes.kept();
            notes.early();
        }

        @Transactional
        public void write() throws InterruptedException {
            notes.kept();
            assertThat(notes.isFree()).as("before the commit").isFalse();
        }

        @Transactional
        public void handleFailure() throws InterruptedException {
            assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(notes::failing);
            assertThat(notes.isFree()).as("before the commit").isFalse();
        }

        @Transactional
        public void rollBack() throws InterruptedException {
            notes.kept();
            throw new IllegalStateException("no");
        }

        @Transactional
        public void separately() throws InterruptedException {
            notes.separate();
            assertThat(notes.isFree()).as("after its own commit").isTrue();
        }

        @Transactional
        public void loseAfterwards() throws InterruptedException {
            NoteTable.awaitLoss(notes.bounded());
        }

        @Transactional
        public void loseAndLog() throws InterruptedException {
            NoteTable.awaitLoss(notes.logging());
        }

        @Transactional
        public void early() {
            notes.early();
        }
    }

    static class Notes extends NoteTable {
        private final DistributedReadWriteLock locks;

        Notes(JdbcTemplate jdbc, DistributedReadWriteLock locks) {
            super(jdbc);
            this.locks = locks;
        }

        public boolean isFree() throws InterruptedException {
            LockRequest now = LockRequest.write("note").waitTime(Duration.ofMillis(200));
            try (LockHandle handle = locks.acquire(now, LockOwner.named("another owner"))) {
                return handle.isValid();
            } catch (LockNotGrantedException e) {
                return false;
            }
        }

        @DecLocked(name = "note", release = Release.AFTER_COMPLETION)
        public void kept() {
            write();
        }

        @DecLocked(name = "note", release = Release.AFTER_COMPLETION)
        public void failing() {
            throw new IllegalArgumentException("handled by the caller");
        }

        @DecLocked(name = "note", release = Release.AFTER_COMPLETION)
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void separate() {
            write();
        }

        @DecLocked(name = "note", release = Release.AFTER_COMPLETION, leaseTime = "100ms")
        public LockHandle bounded() {
            write();
            return DecLockContext.currentHandle();
        }

        @DecLocked(name = "note", release = Release.AFTER_COMPLETION, leaseTime = "100ms", onLost = OnLost.LOG)
        public LockHandle logging() {
            write();
            return DecLockContext.currentHandle();
        }

        @DecLocked(name = "note")
        public void early() {
            write();
        }
    }
}
