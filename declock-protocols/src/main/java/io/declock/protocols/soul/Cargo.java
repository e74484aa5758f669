// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.soul;

import java.util.ArrayList;
import java.util.List;

/**
 * What travels with a line: the queue, in the order of requests, and the guarded words. Immutable.
 *
 * @param queue those that wait
 * @param data the guarded words, region after region
 */
record Cargo(List<Request> queue, List<Long> data) {
    /** One that asks for the line. */
    record Request(int client, boolean writes) {
        long word() {
            return (long) client << 1 | (writes ? 1 : 0);
        }

        static Request of(long word) {
            return new Request((int) (word >>> 1), (word & 1) != 0);
        }
    }

    Cargo {
        queue = List.copyOf(queue);
        data = List.copyOf(data);
    }

    static Cargo of(List<Long> words) {
        int end = 1 + words.get(0).intValue();
        return new Cargo(words.subList(1, end).stream().map(Request::of).toList(), words.subList(end, words.size()));
    }

    List<Long> words() {
        List<Long> words = new ArrayList<>();
        words.add((long) queue.size());
        queue.forEach(request -> words.add(request.word()));
        words.addAll(data);
        return words;
    }

    /** Returns how many readers come before the first writer. */
    int readers() {
        int readers = 0;
        while (readers < queue.size() && !queue.get(readers).writes()) {
            readers++;
        }
        return readers;
    }

    /** Returns the same data with the queue behind so many. */
    Cargo behind(int requests) {
        return new Cargo(queue.subList(requests, queue.size()), data);
    }

    /** Returns the data alone. */
    Cargo withoutQueue() {
        return new Cargo(List.of(), data);
    }
}
