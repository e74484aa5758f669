// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.coherence;

import io.declock.LockMode;

/**
 * A reader-writer lock whose readers have a line each (<i>Soul</i>, 5: Percpu). A reader sets its mark and looks for a writer; if there is one, it takes the mark away, waits, and tries again. A writer
 * takes the lock's word, and then waits for each client's mark to go.
 */
final class PerClientLock implements CoherentLock {
    private final int own;
    private final int clients;
    private final Lines lines;

    PerClientLock(int client, int clients, Lines lines) {
        this.own = CLIENTS + client;
        this.clients = clients;
        this.lines = lines;
    }

    @Override
    public void acquire(LockMode mode, Runnable acquired) {
        if (mode == LockMode.READ) {
            read(acquired);
        } else {
            write(acquired);
        }
    }

    private void read(Runnable acquired) {
        lines.store(
                own,
                1,
                () -> lines.load(LOCK, writer -> {
                    if (writer == 0) {
                        acquired.run();
                    } else {
                        lines.store(own, 0, () -> lines.await(LOCK, word -> word == 0, word -> read(acquired)));
                    }
                }));
    }

    private void write(Runnable acquired) {
        lines.update(LOCK, word -> 1, former -> {
            if (former == 0) {
                awaitReaders(0, acquired);
            } else {
                lines.await(LOCK, word -> word == 0, word -> write(acquired));
            }
        });
    }

    private void awaitReaders(int client, Runnable acquired) {
        if (client == clients) {
            acquired.run();
        } else {
            lines.await(CLIENTS + client, mark -> mark == 0, mark -> awaitReaders(client + 1, acquired));
        }
    }

    @Override
    public void release(LockMode mode, Runnable released) {
        lines.store(mode == LockMode.READ ? own : LOCK, 0, released);
    }
}
