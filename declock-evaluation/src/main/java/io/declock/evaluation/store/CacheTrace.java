// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.store;

import io.declock.evaluation.load.Chance;
import io.declock.evaluation.store.CacheRequest.Operation;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A recorded load in the format of Twitter's published traces: lines with time in seconds, anonymised key, size of the key, size of the value, number of the client, operation, and time to live in
 * seconds, with commas between. The clients of the trace are spread over the clients of the run, and each of those asks in the order of the trace, without pauses. Times are not used, neither
 * those of the requests nor those to live. Immutable.
 */
public final class CacheTrace implements CacheLoad {
    private static final int KEY = 1;
    private static final int VALUE_BYTES = 3;
    private static final int CLIENT = 4;
    private static final int OPERATION = 5;
    private static final int COLUMNS = 7;

    /**
     * A line of the trace.
     *
     * @param client number of the client in the trace
     * @param request what it asked for
     */
    record Line(long client, CacheRequest request) {}

    private final String name;
    private final int clients;
    private final int valueBytes;
    private final List<Line> lines;

    private CacheTrace(String name, int clients, int valueBytes, List<Line> lines) {
        this.name = name;
        this.clients = clients;
        this.valueBytes = valueBytes;
        this.lines = lines;
    }

    /**
     * Reads a trace.
     *
     * @param name name of the trace
     * @param lines its lines
     * @param most how many lines are read at most; they are kept in memory
     * @param clients number of clients of the run
     * @param valueBytes bytes at which longer values are cut
     * @throws IOException if it cannot be read, or a line is in another format
     */
    public static CacheTrace read(String name, Reader lines, int most, int clients, int valueBytes) throws IOException {
        List<Line> read = new ArrayList<>();
        BufferedReader buffered = new BufferedReader(lines);
        String line = buffered.readLine();
        while (line != null && read.size() < most) {
            read.add(parsed(line, read.size() + 1));
            line = buffered.readLine();
        }
        return new CacheTrace(name, clients, valueBytes, List.copyOf(read));
    }

    /** An anonymised key may contain commas itself, so that the columns behind it are counted from the end. */
    private static Line parsed(String line, int number) throws IOException {
        String[] columns = line.split(",", -1);
        int more = columns.length - COLUMNS;
        if (more < 0) {
            throw new IOException("line " + number + " has " + columns.length + " columns, not " + COLUMNS);
        }
        String key = String.join(",", List.of(columns).subList(KEY, KEY + 1 + more));
        try {
            return new Line(
                    Long.parseLong(columns[CLIENT + more]),
                    new CacheRequest(
                            operation(columns[OPERATION + more], number),
                            CacheKey.of(key),
                            Integer.parseInt(columns[VALUE_BYTES + more])));
        } catch (NumberFormatException e) {
            throw new IOException("line " + number + " has no number where one belongs", e);
        }
    }

    /** Operations that the store lacks become the one that moves as many bytes. */
    private static Operation operation(String name, int number) throws IOException {
        return switch (name) {
            case "get", "gets" -> Operation.GET;
            case "set", "add", "replace", "cas", "incr", "decr" -> Operation.SET;
            case "prepend", "append" -> Operation.PREPEND;
            case "delete" -> Operation.DELETE;
            default -> throw new IOException("line " + number + " has the unknown operation " + name);
        };
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int keyBytes() {
        return lines.stream()
                .mapToInt(line -> line.request().key().length())
                .max()
                .orElse(1);
    }

    @Override
    public int valueBytes() {
        return valueBytes;
    }

    /** {@inheritDoc} It is the mean of what is set. */
    @Override
    public int usualValueBytes() {
        return (int) Math.ceil(lines.stream()
                .filter(line -> line.request().operation() == Operation.SET)
                .mapToInt(line -> Math.min(valueBytes, line.request().valueBytes()))
                .average()
                .orElse(valueBytes));
    }

    /** {@inheritDoc} A value that is read before it is set was there before the trace began. */
    @Override
    public void objects(Consumer<CacheRequest> each) {
        Set<CacheKey> seen = new HashSet<>();
        for (Line line : lines) {
            CacheRequest request = line.request();
            if (seen.add(request.key()) && request.operation() == Operation.GET && request.valueBytes() > 0) {
                each.accept(new CacheRequest(Operation.SET, request.key(), request.valueBytes()));
            }
        }
    }

    @Override
    public Requests requests(int client, Chance chance) {
        Iterator<CacheRequest> own = lines.stream()
                .filter(line -> Math.floorMod(line.client(), (long) clients) == client % clients)
                .map(Line::request)
                .iterator();
        return () -> own.hasNext() ? own.next() : null;
    }
}
