// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

import io.declock.protocols.application.ApplicationClient;
import io.declock.protocols.application.ApplicationWorld;

/** A client of a tree: does what its load asks for, one operation after the other. */
final class TreeClient implements ApplicationClient {
    private final int number;
    private final ApplicationWorld world;
    private final TreeReader reader;
    private final TreeWriter writer;
    private final IndexLoad.Requests requests;
    private final int scanned;
    private long values;

    TreeClient(
            int number,
            ApplicationWorld world,
            TreeReader reader,
            TreeWriter writer,
            IndexLoad.Requests requests,
            int scanned) {
        this.number = number;
        this.world = world;
        this.reader = reader;
        this.writer = writer;
        this.requests = requests;
        this.scanned = scanned;
    }

    @Override
    public void start() {
        IndexRequest request = requests.next();
        if (request == null) {
            return;
        }
        long since = world.now();
        Runnable end = () -> {
            world.done(request.operation().ordinal(), since);
            world.after(0, this::start);
        };
        switch (request.operation()) {
            case LOOK_UP -> reader.lookUp(request.key(), value -> end.run());
            case PUT -> writer.put(request.key(), newValue(), end);
            case REMOVE -> writer.remove(request.key(), end);
            case SCAN -> reader.scan(request.key(), scanned, found -> end.run());
        }
    }

    /** Returns a value that nobody else writes. */
    private long newValue() {
        return (long) number + 1 << Integer.SIZE | ++values;
    }
}
