// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes are heard, stopped and ended, and say what went wrong. */
@Timeout(60)
class ChildProcessTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    private static ProcessBuilder shell(String script) {
        return new ProcessBuilder("sh", "-c", script);
    }

    private Path log() {
        return folder.resolve("log");
    }

    @Test
    void itsLinesAreWaitedForInTurn() throws Exception {
        try (ChildProcess child = ChildProcess.heard("answering", shell("echo ready 7; read x; echo got $x"), log())) {
            assertThat(child.await("^ready (\\d+)", PATIENCE).group(1)).isEqualTo("7");
            child.tell("this");
            assertThat(child.await("^got (.*)", PATIENCE).group(1)).isEqualTo("this");
            assertThat(child.awaitEnd(PATIENCE)).isTrue();
            assertThat(child.exitValue()).isZero();
        }
    }

    @Test
    void whatItSaidLastIsPartOfTheMessage() throws Exception {
        try (ChildProcess child = ChildProcess.heard("failing", shell("echo no port; echo broken >&2"), log())) {
            assertThatThrownBy(() -> child.await("^PORT", PATIENCE))
                    .hasMessageContaining("failing ended before it said '^PORT'")
                    .hasMessageContaining("no port")
                    .hasMessageContaining("broken");
        }
        try (ChildProcess child = ChildProcess.heard("mute", shell("exec sleep 60"), log())) {
            assertThatThrownBy(() -> child.await("^PORT", Duration.ofMillis(50)))
                    .hasMessageContaining("mute did not say '^PORT' within 0 s");
        }
    }

    @Test
    void aFailureEndsTheWaiting() throws Exception {
        try (ChildProcess child = ChildProcess.echoed("refusing", shell("echo @ failed; exec sleep 60"), "^@ failed")) {
            assertThatThrownBy(() -> child.await("^@ done", PATIENCE)).hasMessageContaining("refusing: @ failed");
        }
    }

    @Test
    void aKilledOneTakesItsDescendantsWithIt() throws Exception {
        try (ChildProcess child = ChildProcess.heard("parent", shell("sleep 60 & echo $!; wait"), log())) {
            long grandchild = Long.parseLong(child.await("^(\\d+)", PATIENCE).group(1));
            ProcessHandle handle = ProcessHandle.of(grandchild).orElseThrow();
            child.kill();
            assertThat(child.isAlive()).isFalse();
            handle.onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Test
    void itStandsStillWhileItIsPaused() throws Exception {
        try (ChildProcess child = ChildProcess.heard("paused", shell("echo here; read x; echo $x"), log())) {
            child.await("^here", PATIENCE);
            child.pause();
            child.tell("later");
            assertThatThrownBy(() -> child.await("^later", Duration.ofMillis(100)))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(child.isAlive()).isTrue();
            child.resume();
            child.await("^later", PATIENCE);
        }
    }

    @Test
    void oneThatEndsPolitelyIsNotKilled() throws Exception {
        ChildProcess polite = ChildProcess.heard("polite", shell("echo here; read x; echo bye >&2; exit 3"), log());
        polite.await("^here", PATIENCE);
        polite.end();
        assertThat(polite.isAlive()).isFalse();
        ChildProcess deaf = ChildProcess.heard("deaf", shell("trap '' TERM; echo here; sleep 60"), log());
        deaf.await("^here", PATIENCE);
        deaf.end();
        assertThat(deaf.isAlive()).isFalse();
    }

    @Test
    void aProgramRunsToItsEnd() throws Exception {
        ChildProcess.Finished program = ChildProcess.run(shell("echo out; echo err >&2; exit 5"), PATIENCE);
        assertThat(program.status()).isEqualTo(5);
        assertThat(program.text()).contains("out", "err");
        assertThatThrownBy(() -> ChildProcess.run(shell("echo so far; exec sleep 60"), Duration.ofMillis(300)))
                .hasMessageContaining("did not end within")
                .hasMessageContaining("so far");
    }
}
