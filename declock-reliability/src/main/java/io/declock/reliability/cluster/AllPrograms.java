// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Several programs as one.
 *
 * @param programs a list that may change
 */
record AllPrograms(List<Program> programs) implements Program {
    @Override
    public OutputStream commands() {
        throw new UnsupportedOperationException();
    }

    @Override
    public InputStream answers() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void kill() {
        programs.forEach(Program::kill);
    }

    @Override
    public void terminate() {
        programs.forEach(Program::terminate);
    }

    @Override
    public void pause() {
        programs.forEach(Program::pause);
    }

    @Override
    public void resume() {
        programs.forEach(Program::resume);
    }

    @Override
    public boolean isAlive() {
        return programs.stream().allMatch(Program::isAlive);
    }

    @Override
    public String log() {
        return programs.stream().map(Program::log).collect(Collectors.joining());
    }

    @Override
    public void close() {
        programs.forEach(Program::close);
    }
}
